import { createHmac, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { sameSecret } from '@svc/shared/kit/same-secret.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'

/** A request from one replica to another, for one tunnel in one epoch. */
export type PeerRequest = { method: string; path: string; orgId: string; epoch: number; receiver: string }

const LIFETIME_MS = 10_000
/** Maximum difference between the clocks of replicas. */
const SKEW_MS = 5_000
const FORM = /^svc-peer (\d{13})\.([\w-]{22})\.([\w-]{43})$/

type Options = { secret: Secret; previous?: Secret | undefined; clock: Pick<Clock, 'now'> }

/** Signs and verifies requests between replicas: short-lived, for one receiver, for a single use. */
export function createPeerSignature({ secret, previous, clock }: Options) {
  // Key objects: from bytes, Node would create one for each request.
  const keyOf = (from: Secret) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', from.reveal(), '', 'svc peer hop v1', 32)))
  const key = keyOf(secret)
  // During a change of the secret, replicas with the old and the new one work side by side.
  const accepted = previous === undefined ? [key] : [key, keyOf(previous)]
  const used = new Map<string, number>()

  const sign = (by: KeyObject, { method, path, orgId, epoch, receiver }: PeerRequest, expires: string, nonce: string) =>
    createHmac('sha256', by)
      .update([method, path, orgId, epoch, receiver, expires, nonce].join('\n'))
      .digest('base64url')

  return {
    /** Value of the `authorization` header. */
    authorize: (request: PeerRequest): string => {
      const expires = String(clock.now().getTime() + LIFETIME_MS)
      const nonce = randomBytes(16).toString('base64url')
      return `svc-peer ${expires}.${nonce}.${sign(key, request, expires, nonce)}`
    },

    /** True once for each authorization, before it expires and only for the request that it was made for. */
    verify: (authorization: string | undefined, request: PeerRequest): boolean => {
      const [, expires = '', nonce = '', given = ''] = FORM.exec(authorization ?? '') ?? []
      const now = clock.now().getTime()
      if (nonce === '' || !(now < Number(expires) && Number(expires) <= now + LIFETIME_MS + SKEW_MS)) return false
      const isSignedBy = (by: KeyObject) => sameSecret(given, sign(by, request, expires, nonce))
      if (!accepted.some(isSignedBy)) return false
      for (const [old, until] of used) {
        if (until > now) break
        used.delete(old)
      }
      if (used.has(nonce)) return false
      used.set(nonce, now + LIFETIME_MS + SKEW_MS)
      return true
    },
  }
}

export type PeerSignature = ReturnType<typeof createPeerSignature>
