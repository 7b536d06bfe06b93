import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import {
  ChangeEmailRequest,
  DeleteAccountRequest,
  EmailChangeToken,
  EmailChangeUndone,
} from '@svc/shared/wire/accounts.api.ts'
import { Done } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards, Person } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { untilNextBeat } from './answer-alike.ts'
import type { ChangeEmail } from './change-email.ts'
import type { DeleteAccount } from './delete-account.ts'

type Deps = {
  guards: Guards
  changeEmail: ChangeEmail
  deleteAccount: DeleteAccount
  rateLimit: RateLimit
  clock: Clock
  /** Lets the browser forget its session. */
  expiredCookie: string
}

const done = { ok: true as const }
const MAILS = { key: 'change-email', max: 5, seconds: 600 }
const TOKENS = { key: 'email-change-token', max: 60, seconds: 300 }

/** Routes for changes to the whole account. A change of address ends every session, the caller's included. */
export function accountChangesRoutes({
  guards,
  changeEmail,
  deleteAccount,
  rateLimit,
  clock,
  expiredCookie,
}: Deps): FastifyPluginAsyncZod {
  // prettier-ignore
  const onRequest = [guards.signedIn, guards.freshSignIn]

  return async (app) => {
    app.post(
      '/api/settings/email',
      { onRequest, schema: { body: ChangeEmailRequest, response: { 200: Done } } },
      async ({ session: { person }, body: { email } }) => {
        const began = clock.monotonic()
        requireConfirmed(person)
        await rateLimit({ ...MAILS, client: person.id })
        await rateLimit({ ...MAILS, client: email })
        await changeEmail.begin(person, email)
        await untilNextBeat(clock, began)
        return done
      },
    )

    app.post(
      '/api/settings/email/confirm',
      { onRequest: guards.signedIn, schema: { body: EmailChangeToken, response: { 200: Done } } },
      async ({ session, body, clientAddress }, reply) => {
        await rateLimit({ ...TOKENS, client: clientAddress })
        await changeEmail.confirm(session.person, body.token)
        reply.header('set-cookie', expiredCookie)
        return done
      },
    )

    app.post(
      '/api/auth/email-change/undo',
      { schema: { body: EmailChangeToken, response: { 200: EmailChangeUndone } } },
      async ({ body, clientAddress }, reply) => {
        await rateLimit({ ...TOKENS, client: clientAddress })
        const { email } = await changeEmail.undo(body.token)
        reply.header('set-cookie', expiredCookie)
        return { ...done, email }
      },
    )

    app.delete(
      '/api/settings/account',
      { onRequest, schema: { body: DeleteAccountRequest, response: { 200: Done } } },
      async ({ session, body }, reply) => {
        await deleteAccount(session.person, body.confirmation)
        reply.header('set-cookie', expiredCookie)
        return done
      },
    )
  }
}

function requireConfirmed({ emailVerified }: Person): void {
  if (!emailVerified) throw fail('forbidden', undefined, { message: 'Confirm your e-mail address first.' })
}
