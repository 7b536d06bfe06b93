import { z } from 'zod'
import { OrgId } from '../ids.ts'
import { ImageReferenceText } from '../image-reference.ts'
import { observedStates, operationActions, StorageSize } from '../managed-daemon.ts'
import { text } from '../text.ts'

/** Request and response schemas of system administration (`/api/admin/*`). `AdminStatus` is in control-plane.api.ts. */

const ok = z.literal(true)
const time = z.iso.datetime()
const count = z.number().int().min(0)

export const OperationId = text()
  .min(8)
  .max(128)
  .regex(/^[A-Za-z0-9._:-]+$/, 'must be 8 to 128 of A-Z, a-z, 0-9, dot, underscore, colon and hyphen')
export const OperationAction = z.enum(operationActions)
export type OperationAction = z.infer<typeof OperationAction>
export const Reason = text().trim().min(3).max(500).describe('Why; kept in the audit.')

/** The state of an audited operation. `requested` waits for an executor, `retryable` for the same request again. */
const operationStates = ['requested', 'executing', 'retryable', 'succeeded', 'failed'] as const
export const OperationState = z.enum(operationStates)
export type OperationState = z.infer<typeof OperationState>

/** The actor. The id of a token is `token:` and 8 hex digits of its hash. */
export const Actor = z.object({ kind: z.enum(['user', 'token', 'mcp_client', 'system']), id: text().max(128) })
export type Actor = z.infer<typeof Actor>

export const pageFields = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: text().max(512).optional(),
}
export const nextCursor = z.string().optional().describe('Absent on the last page.')

// --- audited operations -------------------------------------------------------------------------------------------

/** If absent, `operationId` is derived from organization, image and generation; every response carries it. */
export const ImageRollRequest = z.strictObject({
  image: ImageReferenceText,
  confirmation: text().max(64).describe('The exact organization id.'),
  operationId: OperationId.optional(),
  reason: Reason.optional(),
})
export const ImageRollResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  image: z.string().describe('The exact image that runs; of a tag, with the digest that it named.'),
  observedState: z.literal('running'),
  version: z.string().optional(),
})
export type ImageRollResult = z.infer<typeof ImageRollResult>

/** Body of the operations that are confirmed by the exact organization slug. */
export const ConfirmedRequest = z.strictObject({
  operationId: OperationId,
  reason: Reason,
  confirmation: text().max(64).describe('The exact organization slug.'),
})
export const CompedGrantResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  entitlement: z.object({ kind: z.literal('comped'), grantedAt: time }),
})
export type CompedGrantResult = z.infer<typeof CompedGrantResult>
export const StorageCheckResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  storage: z.object({ usedBytes: count, freeBytes: count, capacityBytes: count }),
  checkedAt: time,
  woke: z.boolean().describe('The check woke a sleeping daemon.'),
})
export type StorageCheckResult = z.infer<typeof StorageCheckResult>
export const KeyRotationResult = z.object({ ok, operationId: OperationId, orgId: OrgId, keyGeneration: count })
export type KeyRotationResult = z.infer<typeof KeyRotationResult>
export const StorageGrowRequest = ConfirmedRequest.extend({
  size: StorageSize.describe('New size of the volume, such as 20Gi; larger than it is.'),
})
export const StorageGrowResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  size: StorageSize,
  capacityBytes: count.optional().describe('What the daemon has by now; a sleeping one gets it at its next wake.'),
})
export type StorageGrowResult = z.infer<typeof StorageGrowResult>
/** The daemon sleeps after everything was made durable; the next request wakes it. */
export const SleepResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  observedState: z.literal('sleeping'),
})
export type SleepResult = z.infer<typeof SleepResult>
/** A daemon whose resource was deleted in the cluster has one again, and runs; a retained volume was adopted. */
export const ReinstallResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  image: z.string(),
  observedState: z.literal('running'),
})
export type ReinstallResult = z.infer<typeof ReinstallResult>

// --- mutations and claims -----------------------------------------------------------------------------------------

export const PageQuery = z.strictObject(pageFields)
/** One audited operation without content: no parameters are shown except the image of a roll. */
export const Mutation = z.object({
  operationId: z.string(),
  orgId: OrgId,
  action: OperationAction,
  actor: Actor,
  reason: z.string(),
  state: OperationState,
  failure: z
    .object({
      code: z.string(),
      reason: z.string().optional().describe('CamelCase cause.'),
      message: z.string().optional().describe('What the cluster said of the cause.'),
    })
    .optional(),
  image: z.string().optional(),
  attempts: count.describe('How often an executor claimed it.'),
  requestedAt: time,
  finishedAt: time.optional(),
})
export type Mutation = z.infer<typeof Mutation>
export const MutationList = z.object({ ok, mutations: z.array(Mutation), nextCursor })

export const Claim = z.object({
  orgId: OrgId,
  orgSlug: z.string().optional(),
  action: OperationAction,
  operationId: z.string(),
  owner: z.string().describe('What the recovery names as expectedOwner; unique for each execution.'),
  executor: z.string(),
  claimedAt: time,
  expiresAt: time.describe('Diagnostic: nothing happens then, but recovery becomes possible.'),
  expired: z.boolean(),
  executorAlive: z.boolean().describe('The executor holds its database lock: recovery is refused.'),
})
export type Claim = z.infer<typeof Claim>
export const ClaimList = z.object({ ok, claims: z.array(Claim) })

export const RecoverClaimRequest = z.strictObject({
  action: OperationAction.describe('The exact action of the claim.'),
  expectedOwner: text().min(1).max(200),
  confirmation: text().max(64).describe('The exact organization slug.'),
  executorStopped: z.literal(true).describe('Confirms that the original executor has stopped.'),
})
export const RecoverClaimResult = z.object({
  ok,
  orgId: OrgId,
  operationId: z.string(),
  action: OperationAction,
  state: z.literal('retryable'),
})

// --- lifecycle events -------------------------------------------------------------------------------

const lifecycleEventKinds = [
  'entitled',
  'provisioned',
  'image_roll_started',
  'image_rolled',
  'image_roll_failed',
  'key_rotation_started',
  'key_rotated',
  'wake_requested',
  'sleep_requested',
  'storage_checked',
  'storage_grow_started',
  'storage_grown',
  'state_observed',
  'resource_lost',
  'reinstall_started',
  'reinstalled',
  'backed_up',
  'backup_verified',
  'restore_started',
  'restored',
  'deletion_started',
  'deleted',
] as const
export const LifecycleEvent = z.object({
  id: z.string(),
  orgId: OrgId,
  kind: z.enum(lifecycleEventKinds),
  at: time,
  operationId: z.string().optional(),
  observedState: z.enum(observedStates).optional(),
  image: z.string().optional(),
  reason: z.string().optional().describe('CamelCase cause of a failure.'),
})
export type LifecycleEvent = z.infer<typeof LifecycleEvent>
export const LifecycleEventList = z.object({ ok, events: z.array(LifecycleEvent), nextCursor })

// --- signing keys -------------------------------------------------------------------------------------------------

/** A key that signs assertions for daemons or the gateway. The private half never leaves the control plane. */
export const SigningKeyView = z.object({
  kid: z.string(),
  use: z.enum(['entry', 'request', 'service']),
  state: z
    .enum(['next', 'signing', 'verifies'])
    .describe('`next`: published, signs soon. `verifies`: signs no more, what it signed is still accepted.'),
  createdAt: time,
  signsUntil: time.nullable(),
})
export type SigningKeyView = z.infer<typeof SigningKeyView>

export const SigningKeyList = z.object({
  ok,
  keys: z.array(SigningKeyView),
  rotateEveryDays: z.int().min(0).describe('0: by hand alone.'),
})

export const RotateSigningKeysRequest = z.strictObject({
  reason: text().trim().min(1).max(500).describe('Goes into the audit.'),
  immediate: z
    .boolean()
    .default(false)
    .describe('For keys that leaked: the old ones are withdrawn at once, and what they signed is refused.'),
})
