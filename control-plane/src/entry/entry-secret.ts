import { hash, randomBytes } from 'node:crypto'
import type { Role } from '@svc/shared/wire/assertions.ts'

/** Admission of one member to vaults of one organization, behind the cookie of a vault origin. */
export type EntrySession = {
  /** SHA-256 of the cookie's value, hexadecimal. Never the value itself. */
  key: string
  /** Name of the session for the daemon; the cookie cannot be derived from it. */
  publicId: string
  userId: string
  sessionId: string
  orgId: string
  daemonId: string
  name: string
  role: Role
  vaults: string[]
  expiresAt: Date
}

/** Maximum lifetime of an entry session. */
export const ENTRY_SESSION_MS = 12 * 60 * 60_000

const SECRET_BYTES = 32
const SHAPE = /^[A-Za-z0-9_-]{43}$/

/** A new cookie value, 256 random bits. */
export function newEntrySecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** The key of a cookie value, or undefined for a malformed one. */
export function entryKey(secret: string): string | undefined {
  return SHAPE.test(secret) ? hash('sha256', secret, 'hex') : undefined
}

/** The daemon's name for a session, derived from its key. */
export function publicEntryId(key: string): string {
  return `ent_${hash('sha256', `public:${key}`, 'hex').slice(0, 24)}`
}
