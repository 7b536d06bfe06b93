import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { FastifyReply } from 'fastify'
import type { CreateProvenAccount } from './create-proven-account.ts'
import type { PendingSignUp, SignUpsRepository } from './sign-ups.repository.ts'

type Deps = {
  signUps: SignUpsRepository
  clock: Pick<Clock, 'now'>
  hashPassword(password: string): Promise<string>
  hasProvenAccount(email: string): Promise<boolean>
  createProvenAccount: CreateProvenAccount
  sendConfirmation(to: string, secret: string, next: string): void
  sendAccountExists(to: string): void
}
type Request = { name: string; email: string; password: string; callbackURL: string }
type Confirmation = {
  token: string
  browser: string | undefined
  /** Needed when another browser confirms. */
  account: { name: string; password: string } | undefined
}

const LINK_MS = 24 * 3_600_000

const newSecret = () => randomBytes(32).toString('base64url')
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/**
 * Sign-up in two steps: what was asked for waits until the mailed link confirms the address, and only then is there an
 * account. Until then a sign-in fails as for an unknown address, because the address is unknown.
 *
 * A stranger can sign up with anybody's address. So the name and password of a sign-up count only in the browser that
 * sent it, known by a cookie; whoever opens the link elsewhere chooses new ones.
 */
export function createSignUp({ signUps, clock, hashPassword, hasProvenAccount, createProvenAccount, ...mails }: Deps) {
  const expiresAt = () => new Date(clock.now().getTime() + LINK_MS)

  const find = async (token: string): Promise<PendingSignUp> => {
    const found = await signUps.find(hashOf(token))
    if (found === undefined) throw fail('link_invalid')
    return found
  }
  const isOf = ({ browserHash }: PendingSignUp, browser: string | undefined) =>
    browser !== undefined && hashOf(browser) === browserHash

  return {
    /** Mails what fits and answers the secret for the cookie of this browser. */
    begin: async ({ name, email, password, callbackURL }: Request): Promise<string> => {
      const [secret, browser] = [newSecret(), newSecret()]
      const passwordHash = await hashPassword(password)
      if (await hasProvenAccount(email)) mails.sendAccountExists(email)
      else {
        const [linkHash, browserHash] = [hashOf(secret), hashOf(browser)]
        await signUps.insert({ linkHash, browserHash, email, name, passwordHash, next: callbackURL, expiresAt: expiresAt() }) // prettier-ignore
        mails.sendConfirmation(email, secret, callbackURL)
      }
      return browser
    },

    /** Mails the confirmation again where one is outstanding; the owner of an account is told that there is one. */
    resend: async (email: string, browser: string | undefined): Promise<void> => {
      const secret = newSecret()
      if (await hasProvenAccount(email)) return mails.sendAccountExists(email)
      const linkHash = hashOf(secret)
      const next = await signUps.copyNewest({ email, linkHash, browserHash: hashOf(browser ?? ''), expiresAt: expiresAt() }) // prettier-ignore
      if (next !== undefined) mails.sendConfirmation(email, secret, next)
    },

    preview: async (token: string, browser: string | undefined) => {
      const pending = await find(token)
      return { email: pending.email, name: pending.name, sameBrowser: isOf(pending, browser) }
    },

    /** Makes the account and signs in. All links of the address end with it. */
    confirm: async ({ token, browser, account }: Confirmation, reply: FastifyReply): Promise<void> => {
      const pending = await find(token)
      const { email } = pending
      const chosen = account && { name: account.name, passwordHash: await hashPassword(account.password) }
      const made = chosen ?? (isOf(pending, browser) ? pending : undefined)
      if (made === undefined)
        throw fail('invalid_request', [{ path: 'account', message: 'is needed in another browser than that of the sign-up' }]) // prettier-ignore

      const { name, passwordHash } = made
      if (!(await createProvenAccount({ email, name, passwordHash }, reply)))
        throw fail('link_invalid', { reason: 'account_exists' }, { message: 'This address has an account. Sign in.' })
    },
  }
}

export type SignUp = ReturnType<typeof createSignUp>
