import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { sameBytes } from '@svc/shared/kit/same-secret.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'

/** The owner of a session. Not the token: a client that refreshes its token continues its session. */
export type SessionOwner = { userId: string; clientId: string }

/** The header that names a session. */
export const SESSION_HEADER = 'mcp-session-id'

const LIFETIME_MS = 24 * 3_600_000
const FORM = /^(([0-9a-z]{8,9})\.[A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/

type Secrets = { secret: Secret; previous?: Secret | undefined }

/**
 * Session ids for clients of the protocol versions with sessions. An id names its owner and expiry and is authenticated
 * by a MAC, so that replicas share no sessions; only sessions that were ended early are stored. While secrets are being
 * changed, ids of the previous secret stay valid.
 */
export function createSessionIds({ secret, previous }: Secrets) {
  const mac = macWith(secret)
  const macs = previous === undefined ? [mac] : [mac, macWith(previous)]

  return {
    /** True for a text in the form of an id. Only `verify` tells whether it is valid. */
    isFormed: (id: unknown): id is string => typeof id === 'string' && FORM.test(id),

    mint: (owner: SessionOwner, { now, random }: { now: Date; random: string }): string => {
      const body = `${(now.getTime() + LIFETIME_MS).toString(36)}.${random}`
      return `${body}.${mac(body, owner).toString('base64url')}`
    },

    /** When a session of this owner expires; undefined for an id that is foreign, forged or expired. */
    verify: (id: string, owner: SessionOwner, now: Date): Date | undefined => {
      const [, body, expiry, given] = FORM.exec(id) ?? []
      if (body === undefined || expiry === undefined || given === undefined) return undefined
      const shown = Buffer.from(given, 'base64url')
      if (!macs.some((macOf) => sameBytes(shown, macOf(body, owner)))) return undefined
      const endsAt = new Date(Number.parseInt(expiry, 36))
      return endsAt > now ? endsAt : undefined
    },
  }
}

function macWith(secret: Secret) {
  // A key object: from bytes, Node would create one for each id.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret.reveal(), 'svc-mcp-session', 'id', 32)))
  return (body: string, { userId, clientId }: SessionOwner): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([body, userId, clientId]))
      .digest()
}

export type SessionIds = ReturnType<typeof createSessionIds>
