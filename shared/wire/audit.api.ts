import { z } from 'zod'
import { Actor, nextCursor, OperationAction, pageFields } from './admin/admin.api.ts'
import { Role } from './assertions.ts'
import { OrgId, Slug } from './ids.ts'
import { StorageSize } from './managed-daemon.ts'
import { RolloutId } from './admin/rollouts.api.ts'
import { text } from './text.ts'

/** Schemas of the audit (`/api/admin/audit`). */

const ok = z.literal(true)
const time = z.iso.datetime()
const count = z.number().int().min(0)

/** A chain of the audit: an organization's, or the platform's own. */
export const AuditChain = z.union([OrgId, z.literal('platform')])
export type AuditChain = z.infer<typeof AuditChain>

/** The content of an audit entry. It has no field for vault content: no names of notes, no paths, no free values. */
export const AuditRecord = z.strictObject({
  at: time,
  event: text().regex(/^[a-z_]+(?:\.[a-z_]+)*$/),
  actor: Actor,
  orgId: OrgId.optional(),
  operationId: text().max(128).optional(),
  action: OperationAction.optional(),
  reason: text().max(500).optional(),
  outcome: text().max(64).optional(),
  owner: text().max(200).optional(),
  image: text().max(512).optional(),
  size: StorageSize.optional(),
  rolloutId: RolloutId.optional(),
  role: Role.optional(),
  limits: text().max(300).optional().describe('The limits of its own that an organization has from then on.'),
  client: text().max(100).optional().describe('Name that a program gives itself.'),
  subject: text().max(128).optional().describe('Id of the person, key or invitation that the event is about.'),
})
export type AuditRecord = z.infer<typeof AuditRecord>
export const AuditEntry = z.object({ seq: count, hash: z.string(), record: AuditRecord })
export type AuditEntry = z.infer<typeof AuditEntry>

/** How people name a chain: `platform`, or an organization by its id or short name. */
const AuditChainName = z.union([AuditChain, Slug])
const filterFields = {
  event: text()
    .regex(/^[a-z_]+(?:\.[a-z_]+)*$/)
    .max(100)
    .optional()
    .describe('An event, what its name begins with up to a dot, or the action of an operation.'),
  actor: text().min(1).max(320).optional().describe('Who did it: an id, or the e-mail address of a person.'),
  from: time.optional().describe('Not before.'),
  to: time.optional().describe('Before.'),
}
export const OrganizationAuditQuery = z.strictObject({ ...pageFields, ...filterFields })
export type AuditPageQuery = z.output<typeof OrganizationAuditQuery>
export type AuditFilter = Pick<AuditPageQuery, 'event' | 'actor' | 'from' | 'to'>
export const AuditQuery = OrganizationAuditQuery.extend({ chain: AuditChainName })

/** Names of the people, organizations and invitations that entries name by id; deleted ones have none. */
export const AuditNames = z.record(
  z.string(),
  z.object({ name: z.string(), email: z.string().optional(), slug: z.string().optional() }),
)
export type AuditNames = z.infer<typeof AuditNames>
export const AuditList = z.object({
  ok,
  chain: AuditChain,
  entries: z.array(AuditEntry),
  names: AuditNames,
  nextCursor,
})
export const AuditVerifyQuery = z.strictObject({ chain: AuditChainName.optional() })
export const AuditExportQuery = z.strictObject({ chain: AuditChainName })
/** The first broken row of a chain, and the problem with it. */
export const AuditBreak = z.object({
  chain: AuditChain,
  seq: count,
  problem: z.enum(['hash_differs', 'link_differs', 'row_missing', 'record_not_valid', 'signature_differs', 'tail_cut']),
})
export type AuditBreak = z.infer<typeof AuditBreak>
export const AuditVerification = z.object({
  ok,
  valid: z.boolean(),
  chains: count,
  entries: count,
  checkpoints: count,
  broken: z.array(AuditBreak),
})
