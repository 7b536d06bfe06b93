import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Person } from '../http/guards.ts'
import { sessionCookieName } from '../http/session-cookie.ts'
import type { MailSender } from '../mail/mail.ts'
import { renderMail } from '../mail/render-mail.ts'
import { accountsRepository } from './accounts.repository.ts'
import { createAuth } from './auth.ts'
import { createFindSession } from './find-session.ts'
import { createRenewSession } from './renew-session.ts'

type Deps = {
  config: Pick<Config, 'baseUrl' | 'authSecret' | 'google' | 'oidc'>
  db: Db
  clock: Clock
  log: Log
  mail: MailSender
  /** Called at each sign-in and when an address is verified. */
  onSignedIn(person: Person): Promise<void>
  sendInvitation(invitation: {
    id: string
    email: string
    organizationName: string
    inviterName: string
  }): Promise<void>
}

export type Accounts = ReturnType<typeof createAccounts>

/** People, their sessions and the sign-in handler. Links in mails lead to pages; the secret is in the fragment. */
export function createAccounts({ config, db, clock, log, mail, onSignedIn, sendInvitation }: Deps) {
  const { baseUrl, authSecret } = config
  const accounts = accountsRepository(db, clock)
  const cookieName = sessionCookieName(baseUrl)
  const sendLink = (template: 'verify-email' | 'magic-link' | 'reset-password', path: string) => {
    return (to: string, token: string) =>
      mail.send(renderMail({ template, to, link: `${baseUrl}${path}#token=${token}` }))
  }

  const auth = createAuth({
    config,
    db,
    log,
    cookieName,
    events: {
      onSignedIn: async (userId) => {
        const person = await accounts.findPerson(userId)
        if (person !== undefined) await onSignedIn(person)
      },
      onInvited: sendInvitation,
      sendVerification: sendLink('verify-email', '/verify-email'),
      sendMagicLink: sendLink('magic-link', '/sign-in/link'),
      sendPasswordReset: sendLink('reset-password', '/reset-password'),
    },
  })

  return {
    accounts,
    auth,
    cookieName,
    findSession: createFindSession({ accounts, cookieName, secret: authSecret }),
    renewSession: createRenewSession({ accounts, cookieName, secret: authSecret, clock }),
  }
}
