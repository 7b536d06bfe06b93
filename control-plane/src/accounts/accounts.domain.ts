import type { FastifyReply } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { ChangeInTurn } from '../db/organization-turns.ts'
import type { Person } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { sessionCookieLine, sessionCookieName } from '../http/session-cookie.ts'
import type { MailTemplate, Waiting } from '../mail/mail.ts'
import type { MailQueue } from '../mail/mail-queue.ts'
import { renderMail } from '../mail/render-mail.ts'
import type { SecurityNotice } from '../mail/security-notices.ts'
import { accountsRepository } from './accounts.repository.ts'
import { createAuthChecks, organizationOf, type AuthCheckDeps } from './auth-checks.ts'
import { authMount } from './auth-mount.ts'
import {
  authOptions,
  createAuth,
  MAGIC_LINK_SECONDS,
  SESSION_SECONDS,
  type AuthConfig,
  type AuthEvents,
} from '../sign-in/auth.ts'
import { createProvenAccount } from './create-proven-account.ts'
import { createAuthHandler } from '../sign-in/auth-handler.ts'
import { createChangeOrganization, type ChangeDeps, type ChangeOrganization } from './change-organization.ts'
import { createPasswords } from '../sign-in/passwords.ts'
import { createFactorSeal } from '../sign-in/factor-seal.ts'
import { createFindSession } from './find-session.ts'
import { mailedLinksRepository } from './mailed-links.repository.ts'
import { createMailedVerification } from './mailed-verification.ts'
import { preferencesRepository } from './preferences.repository.ts'
import { accountChangesRepository } from './account-changes.repository.ts'
import { accountChangesRoutes } from './account-changes.routes.ts'
import { createChangeEmail } from './change-email.ts'
import { createDeleteAccount, type DeleteDeps } from './delete-account.ts'
import { adminPeopleRoutes } from './admin-people.routes.ts'
import { createResealSecondFactors } from './reseal-second-factors.ts'
import { createResetTwoFactor, type ResetDeps } from './reset-two-factor.ts'
import { createRenewSession } from './renew-session.ts'
import { createGuardSignIn } from './guard-sign-in.ts'
import { createSignUp } from './sign-up.ts'
import { signUpRoutes } from './sign-up.routes.ts'
import { signUpsRepository } from './sign-ups.repository.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'
import { settingsRoutes, type SettingsDeps } from './settings.routes.ts'

type Deps = {
  config: AuthConfig & Pick<Config, 'authSecretPrevious' | 'operatorOrg' | 'systemAdminsNeedTwoFactor'>
  db: Db
  clock: Clock
  log: Log
  mails: MailQueue
  /** Called at each sign-in and when an address is verified. */
  onSignedIn(person: Person): Promise<void>
  /** Called in the transaction that deletes an account. */
  keepRemovals: DeleteDeps['keepRemovals']
}

type RouteDeps = AuthCheckDeps &
  Omit<SettingsDeps, 'accounts' | 'preferences' | 'findWays'> & {
    changeOrganization: ChangeOrganization
    changeInTurn: ChangeInTurn
    rateLimit: RateLimit
    recordAuditIn: ResetDeps['recordAudit']
  }

type NewAccount = { email: string; name: string; password: string }

export type Accounts = ReturnType<typeof createAccounts>

/**
 * People, their sessions and the sign-in handler. Links in mails lead to pages of the app; the secret is in the
 * fragment.
 */
export function createAccounts({ config, db, clock, log, mails, onSignedIn, keepRemovals }: Deps) {
  const { baseUrl, authSecret, authSecretPrevious: previous, operatorOrg } = config
  const accounts = accountsRepository(db, clock)
  const preferences = preferencesRepository(db)
  const secondFactors = secondFactorsRepository(db, clock)
  const seal = createFactorSeal({ secret: authSecret, previous })
  const resealSecondFactors = createResealSecondFactors({ secondFactors, seal })
  const changes = accountChangesRepository(db, clock)
  const links = mailedLinksRepository(db, clock)
  const verification = createMailedVerification({ links, clock, authSecret })
  const cookieName = sessionCookieName(baseUrl)
  const sendLink = (template: MailTemplate, path: string) => {
    return async (to: string, token: string, waiting: Waiting = {}) =>
      mails.send({ ...renderMail({ template, to, link: `${baseUrl}${path}#token=${token}` }), ...waiting })
  }

  const withNext = (path: string, next: string) => (next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`)

  const sendPage = (template: MailTemplate, path: string) => (to: string) =>
    mails.send(renderMail({ template, to, link: baseUrl + path }))
  const sendNotice = (template: SecurityNotice, to: string) => sendPage(template, '/profile')(to)

  const hasTwoFactor = async (userId: string) => (await secondFactors.findWays(userId)).twoFactor

  const findWays = async (userId: string) => {
    const { sealedCodes, ...ways } = await secondFactors.findWays(userId)
    return {
      ...ways,
      recoveryCodesLeft: sealedCodes === null ? null : await seal.countRecoveryCodes(sealedCodes),
    }
  }

  const events: AuthEvents = {
    onSignedIn: async (userId) => {
      const person = await accounts.findPerson(userId)
      // A failure here must not prevent the sign-in; the next sign-in repeats the work.
      if (person !== undefined)
        await onSignedIn(person).catch((err: unknown) => log.error({ err, userId }, 'admission by domain failed'))
    },
    sendVerification: async (person, next) =>
      sendLink('verify-email', withNext('/verify-email', next))(person.email, await verification.mint(person)),
    sendMagicLink: (email, token) =>
      sendLink('magic-link', '/sign-in/link')(email, token, {
        expiresAt: new Date(clock.now().getTime() + MAGIC_LINK_SECONDS * 1_000),
      }),
    sendPasswordReset: sendLink('reset-password', '/reset-password'),
    onReset: async ({ userId, expiresAt }) => {
      if (expiresAt > clock.now()) await accounts.updateTakenOver(userId)
    },
    onAppOpened: previous && resealSecondFactors.one,
  }
  const passwords = createPasswords()
  const hashPassword = (password: string) => passwords.admit(() => passwords.hash(password))
  const authDeps = { config, db, log, cookieName, events, passwords }
  const handler = createAuthHandler({ make: () => createAuth(authDeps), clock })

  const cookie = { cookieName, secret: authSecret }
  const findSession = createFindSession({ accounts, clock, ...cookie })
  const renewSession = createRenewSession({ accounts, clock, ...cookie })

  const createProven = createProvenAccount({
    accounts,
    onSignedIn: events.onSignedIn,
    sessionSeconds: SESSION_SECONDS,
    clock,
    ...cookie,
  })
  const signUp = createSignUp({
    signUps: signUpsRepository(db, clock),
    clock,
    hashPassword,
    hasProvenAccount: accounts.hasProvenAccount,
    createProvenAccount: createProven,
    sendConfirmation: (to, secret, next) =>
      void sendLink('confirm-sign-up', withNext('/sign-up/confirm', next))(to, secret),
    sendAccountExists: sendPage('account-exists', '/sign-in'),
  })

  return {
    cookieName,
    preferences,
    /** The options of the sign-in handler, for other code that uses its sessions. */
    authOptions: () => authOptions(authDeps),
    hasTwoFactor,
    hasProvenAccount: accounts.hasProvenAccount,
    verifyAddress: accounts.updateVerified,
    createProvenAccount: async ({ password, ...account }: NewAccount, reply: FastifyReply) =>
      createProven({ ...account, passwordHash: await hashPassword(password) }, reply),
    findSession,
    listLiveSessions: accounts.listLiveSessions,
    renewSession,
    deleteExpired: async () => {
      await accounts.deleteExpired()
      await changes.deleteExpired()
      await secondFactors.deleteExpiredCodes()
    },
    resealSecondFactors: resealSecondFactors.all,
    changeOrganization: (deps: Pick<ChangeDeps, 'recordAudit' | 'findMember'>) =>
      createChangeOrganization({
        ...deps,
        db,
        operatorOrg,
        clock,
        hasTwoFactor: config.systemAdminsNeedTwoFactor ? hasTwoFactor : undefined,
      }),
    routes: ({ guards, rateLimit, listOrganizations, listAdmissionOffers, recordAuditIn, ...deps }: RouteDeps) => [
      authMount({
        handler,
        baseUrl,
        cookieName,
        findSession,
        findPerson: accounts.findPerson,
        renewSession,
        guardSignIn: createGuardSignIn({ accounts, secondFactors, baseUrl, ...cookie }),
        rateLimit,
        admitPassword: passwords.admit,
        clock,
        endMailedLinks: links.endAll,
        secondFactors,
        sendNotice,
        checks: createAuthChecks({ ...deps, verification, endOtherSessions: accounts.deleteOtherSessions, clock }),
        changeOrganization: deps.changeOrganization,
        changeInTurn: deps.changeInTurn,
        organizationOf: (body) => organizationOf(body, deps.findOrganizationOfInvitation),
      }),
      signUpRoutes({ signUp, rateLimit, clock, sessionCookie: cookieName }),
      accountChangesRoutes({
        guards,
        rateLimit,
        clock,
        expiredCookie: sessionCookieLine({ name: cookieName, secret: authSecret }, { token: '', seconds: 0 }),
        changeEmail: createChangeEmail({
          changes,
          clock,
          isTaken: accounts.hasAccount,
          mails: {
            sendConfirmation: ({ userId, newEmail }, secret) =>
              void sendLink('change-email', '/email-change')(newEmail, secret, { replaces: `change-email:${userId}` }),
            sendUndo: (to, secret) => void sendLink('email-changed', '/email-change/undo')(to, secret),
            sendTaken: sendPage('address-taken', '/sign-in'),
          },
        }),
        deleteAccount: createDeleteAccount({
          changes,
          changeInTurn: deps.changeInTurn,
          keepRemovals,
          operatorOrg,
          recordAudit: recordAuditIn,
          sendGoodbye: sendPage('account-deleted', '/'),
        }),
      }),
      adminPeopleRoutes({
        guards,
        resetTwoFactor: createResetTwoFactor({ db, clock, recordAudit: recordAuditIn, sendNotice }),
      }),
      settingsRoutes({
        guards,
        accounts,
        preferences,
        findWays,
        listOrganizations,
        listAdmissionOffers,
      }),
    ],
  }
}
