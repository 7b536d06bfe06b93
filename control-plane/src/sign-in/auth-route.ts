import type { z } from 'zod'
import type { SecurityNotice } from '../mail/security-notices.ts'

/** How often a route may be called in a minute: by one client, and about one address where the body names one. */
export type AuthLimit = 'mail' | 'password' | 'change' | 'read'

/**
 * One reachable route of the sign-in handler. `as` turns a POST of ours into the GET that it has: a mailed link must not
 * do its work when a mail scanner opens it. `check` is what must hold before the handler sees the request.
 */
export type AuthRoute = {
  method: 'GET' | 'POST'
  path: string
  /** The path of the sign-in handler, where it is another one. */
  handler?: string
  limit: AuthLimit
  /** Fills the `:names` of the path; values that it does not list are not found. */
  params?: z.ZodType<Record<string, string>>
  /** The parameters that are handed on; without it, none. */
  query?: z.ZodType<Record<string, string | undefined>>
  body?: z.ZodType
  as?: 'query'
  /** When the answer waits for a beat, so that its time does not tell known from unknown addresses. */
  alike?: 'always' | 'failures'
  /**
   * Makes a session from a proof, which must still be good when the session is there. `first` proves one factor: a code
   * is asked for where the person has an authenticator app. `whole` needs no other proof.
   */
  signsIn?: 'first' | 'whole'
  /** Goes on without the caller's session: the proof alone makes the new one. */
  withoutSession?: true
  /** The body carries a code of an authenticator app, which is good once. */
  usesCode?: true
  /** What the person is told by mail once it is done. */
  notice?: SecurityNotice
  /** One of the person's mailed links was used: the others end. */
  usesMailedLink?: true
  /** The person may do more afterwards, so the session gets a new secret. */
  gainsRights?: true
  /** What the audit calls the change, where it is one of the organization of the system admins. */
  event?: string
  check?: 'orgAdmin' | 'member' | 'signedIn' | 'fresh' | 'invitation' | 'ownVerification'
}

/** The path of a route at the sign-in handler. */
export const libraryPath = ({ handler, path }: AuthRoute): string => handler ?? path
