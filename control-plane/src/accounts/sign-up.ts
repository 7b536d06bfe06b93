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
  /** Required when another browser confirms. */
  account: { name: string; password: string } | undefined
}

const LINK_MS = 24 * 3_600_000

const newSecret = () => randomBytes(32).toString('base64url')
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/**
 * Sign-up in two steps: the request is stored until the mailed link confirms the address, and only then an account is
 * created. Until then the address is unknown, so a sign-in fails as for any unknown address.
 *
 * A stranger can sign up with anybody's address. The name and password of a sign-up therefore count only in the browser
 * that sent them, recognized by a cookie. Whoever opens the link in another browser chooses new ones.
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
    /** Sends the mail that fits the address and returns the secret for this browser's cookie. */
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

    /** Sends the confirmation again if one is pending; the owner of an existing account is told that there is one. */
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

    /** Creates the account and signs in. Deletes all other links of the address. */
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
