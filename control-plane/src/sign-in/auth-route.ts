import type { z } from 'zod'
import type { SecurityNotice } from '../mail/security-notices.ts'

/** How often a route may be called in a minute: by one client, and about one address if the body names one. */
export type AuthLimit = 'mail' | 'password' | 'change' | 'read'

/** Changes that only an admin of the organization makes. */
export const adminChecks = ['renaming', 'invitation', 'cancellation', 'removal', 'roleChange'] as const
export type AdminCheck = (typeof adminChecks)[number]

/** What is checked before a request is handed on, or answered by ourselves. */
export type AuthCheck =
  AdminCheck | 'leaving' | 'signedIn' | 'fresh' | 'acceptance' | 'rejection' | 'otherSessions' | 'ownVerification'

/**
 * One reachable route of the sign-in handler. `as` turns our POST into the handler's GET: a mailed link must not take
 * effect when a mail scanner opens it. `check` must pass before the handler sees the request.
 */
export type AuthRoute = {
  method: 'GET' | 'POST'
  path: string
  /** The path at the sign-in handler, if it differs. */
  handler?: string
  limit: AuthLimit
  /** Fills the `:names` of the path; values that are not listed are not found. */
  params?: z.ZodType<Record<string, string>>
  /** The parameters that are forwarded; without it, none. */
  query?: z.ZodType<Record<string, string | undefined>>
  body?: z.ZodType
  as?: 'query'
  /** Whether the response waits for a beat, so that its time does not reveal which addresses are known. */
  alike?: 'always' | 'failures'
  /**
   * Creates a session from a proof, which must still be valid when the session exists. `first` proves one factor: a
   * code is requested if the person has an authenticator app. `whole` needs no other proof.
   */
  signsIn?: 'first' | 'whole'
  /** Ignores the caller's session: the proof alone creates the new one. */
  withoutSession?: true
  /** The body carries a code of an authenticator app, which is valid once. */
  usesCode?: true
  /** The notice that the person gets by mail afterwards. */
  notice?: SecurityNotice
  /** One of the person's mailed links was used: the others are deleted. */
  usesMailedLink?: true
  /** Deletes the session cookie. */
  endsSession?: true
  /** The person may gain rights, so the session gets a new secret. */
  gainsRights?: true
  /** The audit's name for the change, where it changes an organization. */
  event?: string
  check?: AuthCheck
}

/** The path of a route at the sign-in handler. */
export const libraryPath = ({ handler, path }: AuthRoute): string => handler ?? path
