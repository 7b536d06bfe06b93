import { z } from 'zod'
import { OrgId } from './ids.ts'
import { vaultIdText } from './mcp/tool-arguments.ts'
import { text } from './text.ts'

/** Schemas of agents: programs that work in vaults for a person, over the MCP endpoint of the control plane. */

const ok = z.literal(true)
const time = z.iso.datetime()
const count = z.number().int().min(0)
const undone = count
  .nullable()
  .describe('Changes that a revert took back. null: the daemon has not reported any number yet.')
const idOf = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[a-z2-7]{24}$`), `must begin with ${prefix}`)

const GrantId = idOf('agt_')
const IntegrationId = idOf('int_')
export const AgentAccess = z.enum(['read', 'write']).describe('write includes read.')
export type AgentAccess = z.infer<typeof AgentAccess>

/** Which clients an integration covers. */
const IntegrationKey = text().min(1).max(500)

/** A client as shown on the consent page. Its name is its own claim. */
const Client = z.object({
  name: text().max(60),
  kind: z
    .enum(['web', 'loopback', 'app'])
    .describe('Where it is sent back to: a web address, a program on this computer, or an app.'),
  sendsTo: z.string().describe('Origin or scheme that receives the code.'),
  documentHost: z.string().nullable().describe('Host of its metadata document, which proves who made it.'),
})
const Choice = z.object({
  orgId: OrgId,
  orgName: z.string(),
  listed: z
    .boolean()
    .describe('False where the daemon could not be asked; then only the whole organization is offered.'),
  whole: z
    .boolean()
    .describe('The whole organization is offered: its vaults are not listed, or more than can be granted one by one.'),
  vaults: z.array(z.object({ id: z.string(), displayName: z.string() })),
})
export const ConsentQuery = z.object({ client_id: text().min(1).max(500), redirect_uri: text().min(1).max(1_000) })
export const ConsentAsked = z.object({ ok, client: Client, choices: z.array(Choice) })
export type ConsentAsked = z.infer<typeof ConsentAsked>

/** Vaults of one grant, of all organizations together. */
export const MAX_GRANTED_VAULTS = 500
const GrantedVault = z.strictObject({
  orgId: OrgId,
  vaultId: vaultIdText.nullable().describe('null: every vault of the organization, later ones too.'),
})
export const ConsentRequest = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('refuse'), query: text().min(1).max(8_192) }),
  z.strictObject({
    decision: z.literal('connect'),
    query: text().min(1).max(8_192).describe('Query of the page, as it came; it is signed.'),
    access: AgentAccess,
    vaults: z
      .array(GrantedVault)
      .min(1)
      .max(MAX_GRANTED_VAULTS)
      .describe('Single vaults of one organization are limited by the bytes of their ids, too.'),
  }),
])
export type ConsentRequest = z.infer<typeof ConsentRequest>
export const ConsentDecided = z.object({ ok, url: z.string().describe('Where the browser goes next.') })

/** A program that one person connected. */
export const ConnectedApp = z.object({
  id: GrantId,
  name: z.string(),
  host: z.string().nullable().describe('Web host behind it; null for a program on a computer.'),
  access: AgentAccess,
  vaults: z.array(z.object({ orgId: OrgId, vaultId: z.string().nullable() })),
  connectedAt: time,
  lastUsedAt: time.nullable(),
  expiresAt: time,
  paused: z.boolean(),
  reads: count,
  writes: count,
  undone,
})
export type ConnectedApp = z.infer<typeof ConnectedApp>
export const ConnectedAppList = z.object({ ok, endpoint: z.url(), apps: z.array(ConnectedApp) })
export const ChangeConnectedApp = z.strictObject({ paused: z.boolean() })
export const GrantParams = z.object({ grantId: GrantId })

/** What an organization allows: a kind of client, for all of its members. */
export const Integration = z.object({
  id: IntegrationId,
  name: z.string(),
  host: z.string().nullable(),
  key: z.string(),
  state: z.enum(['requested', 'approved', 'paused', 'revoked', 'expired', 'blocked']),
  access: AgentAccess,
  requestedBy: z.string().nullable(),
  requestedAt: time.nullable(),
  approvedBy: z.string().nullable(),
  approvedAt: time.nullable(),
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable(),
  reads: count,
  writes: count,
  undone,
  people: z.array(
    z.object({
      name: z.string(),
      access: AgentAccess,
      vaults: z.array(z.string()).nullable(),
      lastUsedAt: time.nullable(),
    }),
  ),
})
export type Integration = z.infer<typeof Integration>
export const IntegrationList = z.object({ ok, endpoint: z.url(), integrations: z.array(Integration) })
export const IntegrationParams = z.object({ orgId: OrgId, integrationId: IntegrationId })
export const ApproveRequest = z.strictObject({
  access: AgentAccess,
  days: z.number().int().min(1).max(365).default(90),
  covers: z
    .enum(['this_address', 'whole_site'])
    .default('this_address')
    .describe('whole_site: every client of the same web origin, for makers that use an address for each connection.'),
})
export const ChangeIntegrationRequest = z.strictObject({ state: z.enum(['approved', 'paused', 'revoked']) })
export const IntegrationResult = z.object({ ok, integration: Integration })

/** What system admins decide for the whole platform. */
export const AgentRule = z.object({ key: z.string(), verdict: z.enum(['allowed', 'blocked']), decidedAt: time })
export const AgentRuleList = z.object({ ok, rules: z.array(AgentRule) })
export const SetAgentRuleRequest = z.strictObject({
  key: IntegrationKey,
  verdict: z.enum(['allowed', 'blocked', 'none']),
})
