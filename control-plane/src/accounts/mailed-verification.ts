import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { createEmailVerificationToken } from 'better-auth/api'
import type { Person } from '../http/guards.ts'
import type { MailedLinksRepository } from './mailed-links.repository.ts'

type Deps = { links: MailedLinksRepository; clock: Pick<Clock, 'now'>; authSecret: Secret }

const LINK_MS = 3_600_000
/** Creates the sign-in handler's own token, which is used at once. */
const HANDED_ON_SECONDS = 60

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/**
 * Mailed links that confirm an address. The sign-in handler's tokens are signed texts that cannot be revoked, so we
 * mail a secret of our own and exchange it for such a token when the link is used.
 */
export function createMailedVerification({ links, clock, authSecret }: Deps) {
  return {
    /** The secret to mail. */
    mint: async (person: { id: string; email: string }): Promise<string> => {
      const secret = randomBytes(32).toString('base64url')
      const expiresAt = new Date(clock.now().getTime() + LINK_MS)
      await links.insertVerification({ secretHash: hashOf(secret), userId: person.id, email: person.email, expiresAt })
      return secret
    },

    /**
     * Consumes a mailed secret and returns the handler's token; an empty text, which the handler refuses, when the
     * secret is unknown. The person must be signed in with that address: otherwise somebody could sign up with a
     * stranger's address and wait for the stranger to click.
     */
    redeem: async (secret: string, person: Person): Promise<string> => {
      const secretHash = hashOf(secret)
      const found = await links.findVerification(secretHash)
      if (found === undefined) return ''
      if (found.userId !== person.id || found.email !== person.email)
        throw fail('forbidden', undefined, { message: 'Sign in with the address that this link was sent to.' })
      if (!(await links.consumeVerification(secretHash))) return ''
      return createEmailVerificationToken(authSecret.reveal(), person.email, undefined, HANDED_ON_SECONDS)
    },
  }
}

export type MailedVerification = ReturnType<typeof createMailedVerification>
