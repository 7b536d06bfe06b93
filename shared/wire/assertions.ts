import { z } from 'zod'
import { DaemonId, OrgId, UserId } from './ids.ts'

/**
 * The three kinds of signed token between control plane, gateway and daemon (JWT, only EdDSA). The `typ` header and the
 * audience tell them apart; each verifier pins algorithm, typ, issuer, audience and expiry.
 */
export const assertionTypes = {
  entry: 'svc-entry+jwt',
  request: 'svc-request+jwt',
  service: 'svc-service+jwt',
} as const

/** Lifetimes in seconds. */
export const assertionLifetimes = { entry: 60, request: 30, service: 30 } as const

export const CLOCK_TOLERANCE_SECONDS = 5

/** A daemon refuses a longer assertion: all headers of a request together may have 16 KiB. */
export const MAX_ASSERTION_LENGTH = 8_192

/** The one header that carries identity over a tunnel; the gateway sets exactly one, last. */
export const ASSERTION_HEADER = 'x-svc-assertion'

export const Role = z.enum(['admin', 'member'])
export type Role = z.infer<typeof Role>

/** Admission of a member to one vault; audience is the vault origin. Consumed once by the gateway (`jti`). */
export const EntryClaims = z.object({
  iss: z.string(),
  aud: z.string(),
  sub: UserId,
  org: OrgId,
  daemon: DaemonId,
  vault: z.string(),
  role: Role,
  name: z.string(),
  sid: z.string().describe('The control-plane session, so that its end ends the entry.'),
  jti: z.string(),
  iat: z.number(),
  exp: z.number(),
})
export type EntryClaims = z.infer<typeof EntryClaims>

/** Identity of one person for one request through the gateway; audience is the daemon id. */
export const RequestClaims = z.object({
  iss: z.string(),
  aud: DaemonId,
  sub: UserId,
  org: OrgId,
  vaults: z.array(z.string()).min(1),
  role: Role,
  name: z.string(),
  sid: z.string().describe('The entry session.'),
  iat: z.number(),
  exp: z.number(),
})
export type RequestClaims = z.infer<typeof RequestClaims>

/** What an agent may do for a person. Permanent deletion, import and restoring what others deleted are in no scope. */
export const AgentScope = z.enum(['read', 'write'])
export type AgentScope = z.infer<typeof AgentScope>

/**
 * One tool call of an agent, for one person, through the control plane: of the request kind, distinguished by `agent`.
 * Only valid for `POST /api/agent/call`.
 */
export const AgentClaims = RequestClaims.omit({ vaults: true, sid: true }).extend({
  vaults: z.array(z.string()).optional().describe('Absent: every vault of the daemon.'),
  agent: z.object({
    client: z.string().min(1).max(200).describe('The name of the client, as it calls itself.'),
    integration: z.string().min(1).max(500).describe('What an admin approved; names the client reliably.'),
    registration: z.string().min(1).max(500).optional().describe('The id under which the client is registered.'),
    scopes: z.array(AgentScope),
  }),
})
export type AgentClaims = z.infer<typeof AgentClaims>

const serviceScopes = ['vaults:list', 'vaults:create', 'storage:read', 'flush', 'backup'] as const
export const ServiceScope = z.enum(serviceScopes)
export type ServiceScope = z.infer<typeof ServiceScope>

/** A call of the control plane itself; audience is the daemon id. The public gateway cannot mint it. */
export const ServiceClaims = z.object({
  iss: z.string(),
  aud: DaemonId,
  org: OrgId,
  act: z.union([z.object({ user: UserId }), z.object({ system: z.string() })]),
  scope: ServiceScope,
  iat: z.number(),
  exp: z.number(),
})
export type ServiceClaims = z.infer<typeof ServiceClaims>

/** A published verification key (RFC 8037 OKP), identified by its thumbprint. `uses` says which kinds it may sign. */
export const VerificationKey = z.object({
  kid: z.string(),
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  uses: z.array(z.enum(['entry', 'request', 'service'])),
})
export type VerificationKey = z.infer<typeof VerificationKey>
