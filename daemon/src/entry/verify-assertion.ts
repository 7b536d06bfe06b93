import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import {
  AgentClaims,
  assertionTypes,
  CLOCK_TOLERANCE_SECONDS,
  MAX_ASSERTION_LENGTH,
  RequestClaims,
  ServiceClaims,
  type VerificationKey,
} from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose'
import type { TunnelContext } from './tunnel-context.ts'
import type { Caller, VerifyAssertion } from './caller.ts'

const MAX_KNOWN = 2_000

type Proven = { caller: Caller; key: VerificationKey; daemonId: string; expiresAt: number }

/**
 * Verifies the assertions of relayed requests. The same text serves many requests of one person, so a verified one is
 * cached by its exact text until it expires or its key is removed.
 */
export function createVerifyAssertion({ clock }: { clock: Pick<Clock, 'now'> }): VerifyAssertion {
  const known = new Map<string, Proven>()

  return async (text, context) => {
    const now = clock.now()
    const found = known.get(text)
    if (found && stillGood(found, context, now)) return found.caller

    try {
      if (text.length > MAX_ASSERTION_LENGTH) throw new Error('too long')
      const proven = await prove(text, context, now)
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(text, proven)
      return proven.caller
    } catch (error) {
      throw fail('unauthenticated', undefined, { cause: error })
    }
  }
}

function stillGood({ key, daemonId, expiresAt }: Proven, context: TunnelContext, now: Date): boolean {
  const published = context.keys().some(({ kid, x }) => kid === key.kid && x === key.x)
  return published && daemonId === context.daemonId && now.getTime() < expiresAt
}

async function prove(text: string, context: TunnelContext, now: Date): Promise<Proven> {
  const { typ, kid } = decodeProtectedHeader(text)
  const use = typ === assertionTypes.request ? 'request' : typ === assertionTypes.service ? 'service' : undefined
  if (use === undefined) throw new Error('not an assertion for a daemon')

  const key = await findKey(context, { kid, use })
  const { payload } = await jwtVerify(text, toKeyObject(key), {
    algorithms: ['EdDSA'],
    typ: assertionTypes[use],
    issuer: context.issuer,
    audience: context.daemonId,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: now,
    requiredClaims: ['exp', 'iat'],
  })
  const caller = callerOf(use, payload)
  if (caller.claims.org !== context.orgId) throw new Error('another organization')
  const expiresAt = (caller.claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000
  return { caller, key, daemonId: context.daemonId, expiresAt }
}

/**
 * The caller that an assertion names. An assertion that names an agent is never accepted as the person's own request.
 */
function callerOf(use: 'request' | 'service', payload: JWTPayload): Caller {
  if (use === 'service') return { kind: 'service', claims: ServiceClaims.parse(payload) }
  if ('agent' in payload) return { kind: 'agent', claims: AgentClaims.parse(payload) }
  return { kind: 'person', claims: RequestClaims.parse(payload) }
}

async function findKey(
  context: TunnelContext,
  { kid, use }: { kid: string | undefined; use: 'request' | 'service' },
): Promise<VerificationKey> {
  const find = () => context.keys().find((key) => key.kid === kid && key.uses.includes(use))
  const found = find()
  if (found !== undefined) return found
  await context.refreshKeys()
  const fresh = find()
  if (fresh === undefined) throw new Error('unknown key')
  return fresh
}

function toKeyObject({ kty, crv, x }: VerificationKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
}
