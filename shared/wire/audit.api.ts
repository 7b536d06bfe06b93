import { z } from 'zod'
import { Actor, nextCursor, OperationAction, pageFields } from './admin.api.ts'
import { Role } from './assertions.ts'
import { OrgId } from './ids.ts'
import { RolloutId } from './rollouts.api.ts'
import { text } from './text.ts'

/** Schemas of the audit (`/api/admin/audit`). */

const ok = z.literal(true)
const time = z.iso.datetime()
const count = z.number().int().min(0)

/** A chain of the audit: an organization's, or the platform's own. */
export const AuditChain = z.union([OrgId, z.literal('platform')])
export type AuditChain = z.infer<typeof AuditChain>

/** What an audit entry says. It has no place for content: no names of notes, no paths, no free values. */
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
  rolloutId: RolloutId.optional(),
  role: Role.optional(),
  client: text().max(100).optional().describe('Name that a program gives itself.'),
  subject: text().max(128).optional().describe('Id of the person, key or invitation that the event is about.'),
})
export type AuditRecord = z.infer<typeof AuditRecord>
export const AuditEntry = z.object({ seq: count, hash: z.string(), record: AuditRecord })
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditQuery = z.strictObject({ ...pageFields, chain: AuditChain })
export const OrganizationAuditQuery = z.strictObject(pageFields)
export const AuditList = z.object({ ok, chain: AuditChain, entries: z.array(AuditEntry), nextCursor })
export const AuditVerifyQuery = z.strictObject({ chain: AuditChain.optional() })
/** The first broken row of a chain and how it is broken. */
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
