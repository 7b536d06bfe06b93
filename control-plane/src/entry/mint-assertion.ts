import { randomBytes } from 'node:crypto'
import type { AgentClaims, Role, ServiceClaims, ServiceScope } from '@svc/shared/wire/assertions.ts'
import { shownName } from '../audit/shown-name.ts'
import type { EntrySession } from './entry-secret.ts'
import type { Signer } from './signing-keys.ts'

/**
 * Maximum bytes of the vaults that one assertion names. With the longest names of person and program it is then still
 * short enough for the daemon.
 */
export const MAX_VAULTS_BYTES = 3_800

type EntryGrant = {
  vaultOrigin: string
  user: { id: string; name: string }
  sessionId: string
  orgId: string
  daemonId: string
  vault: string
  role: Role
}

/** Admits one member to one vault, once, within a minute. Only the gateway reads it. */
export function mintEntryAssertion(sign: Signer, grant: EntryGrant) {
  const { vaultOrigin, user, sessionId, orgId, daemonId, vault, role } = grant
  const jti = randomBytes(16).toString('base64url')
  return sign({
    aud: vaultOrigin,
    sub: user.id,
    name: shownName(user.name),
    sid: sessionId,
    org: orgId,
    daemon: daemonId,
    vault,
    role,
    jti,
  })
}

/**
 * The assertion that tells the daemon who is calling. Reused by all requests of an entry session until shortly before
 * it expires.
 */
export function mintRequestAssertion(sign: Signer, session: EntrySession) {
  return sign({
    aud: session.daemonId,
    sub: session.userId,
    name: shownName(session.name),
    org: session.orgId,
    vaults: session.vaults,
    role: session.role,
    sid: session.publicId,
  })
}

/** The claims of an agent's tool call, without issuer and times. */
export type AgentIdentity = Pick<AgentClaims, 'sub' | 'name' | 'role' | 'vaults' | 'agent'>

/** Tells the daemon which agent calls, for whom and with which scopes. */
export function mintAgentAssertion(
  sign: Signer,
  { daemonId, orgId, ...identity }: AgentIdentity & { daemonId: string; orgId: string },
) {
  return sign({ ...identity, name: shownName(identity.name), aud: daemonId, org: orgId })
}

type ServiceCall = { daemonId: string; orgId: string; act: ServiceClaims['act']; scope: ServiceScope }

/** The assertion that tells the daemon that the platform itself is calling, and for what purpose. */
export function mintServiceAssertion(sign: Signer, { daemonId, orgId, act, scope }: ServiceCall) {
  return sign({ aud: daemonId, org: orgId, act, scope })
}

/** The bytes that the names of these vaults take in an assertion. */
export const bytesOfVaults = (vaults: readonly string[]): number => Buffer.byteLength(JSON.stringify(vaults))

/** The first of these vaults: as many as one assertion may name. */
export function firstThatFit(vaults: readonly string[]): string[] {
  let bytes = bytesOfVaults([])
  const end = vaults.findIndex((vault, index) => {
    bytes += Buffer.byteLength(JSON.stringify(vault)) + (index === 0 ? 0 : 1)
    return bytes > MAX_VAULTS_BYTES
  })
  return vaults.slice(0, end === -1 ? undefined : end)
}
