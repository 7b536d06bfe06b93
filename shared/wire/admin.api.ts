// Long on purpose: every schema of one address prefix in one place, read side by side by server, CLI and pages.
import { z } from 'zod'
import { OrgId } from './ids.ts'
import { ImageReferenceText } from './image-reference.ts'
import { Condition, desiredStates, observedStates, operationActions, StorageSize } from './managed-daemon.ts'

/** Request and answer schemas of system administration (`/api/admin/*`). `AdminStatus` is in control-plane.api.ts. */

const ok = z.literal(true)
const time = z.iso.datetime()
const count = z.number().int().min(0)

export const OperationId = z
  .string()
  .min(8)
  .max(128)
  .regex(/^[A-Za-z0-9._:-]+$/, 'must be 8 to 128 of A-Z, a-z, 0-9, dot, underscore, colon and hyphen')
export const OperationAction = z.enum(operationActions)
export type OperationAction = z.infer<typeof OperationAction>
const Reason = z.string().trim().min(3).max(500).describe('Why; kept in the audit.')

/** Where an audited operation stands. `requested` waits for an executor, `retryable` for the same request again. */
export const operationStates = ['requested', 'executing', 'retryable', 'succeeded', 'failed'] as const
export const OperationState = z.enum(operationStates)
export type OperationState = z.infer<typeof OperationState>

/** Who did it. The id of a token is `token:` and 8 hex digits of its hash. */
export const Actor = z.object({ kind: z.enum(['user', 'token', 'mcp_client', 'system']), id: z.string().max(128) })
export type Actor = z.infer<typeof Actor>

const Page = { limit: z.coerce.number().int().min(1).max(200).default(50), cursor: z.string().max(512).optional() }
const nextCursor = z.string().optional().describe('Absent on the last page.')

// --- audited operations -------------------------------------------------------------------------------------------

/** `operationId` is derived from organization, image and generation where it is absent; every answer carries it. */
export const ImageRollRequest = z.strictObject({
  image: ImageReferenceText,
  confirmation: z.string().max(64).describe('The exact organization id.'),
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
  confirmation: z.string().max(64).describe('The exact organization slug.'),
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
/** It sleeps after everything was made durable; the next visit wakes it. */
export const SleepResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  observedState: z.literal('sleeping'),
})
export type SleepResult = z.infer<typeof SleepResult>
/** A daemon whose resource was deleted on the cluster has one again, and runs; a volume that was kept is adopted. */
export const ReinstallResult = z.object({
  ok,
  operationId: OperationId,
  orgId: OrgId,
  image: z.string(),
  observedState: z.literal('running'),
})
export type ReinstallResult = z.infer<typeof ReinstallResult>

// --- mutations and claims -----------------------------------------------------------------------------------------

export const PageQuery = z.strictObject(Page)
/** One audited operation without content: parameters are not told, but for the image of a roll. */
export const Mutation = z.object({
  operationId: z.string(),
  orgId: OrgId,
  action: OperationAction,
  actor: Actor,
  reason: z.string(),
  state: OperationState,
  failure: z.object({ code: z.string(), reason: z.string().optional() }).optional(),
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
  expectedOwner: z.string().min(1).max(200),
  confirmation: z.string().max(64).describe('The exact organization slug.'),
  executorStopped: z.literal(true).describe('Confirms that the original executor has stopped.'),
})
export const RecoverClaimResult = z.object({
  ok,
  orgId: OrgId,
  operationId: z.string(),
  action: OperationAction,
  state: z.literal('retryable'),
})

// --- inventory and lifecycle events -------------------------------------------------------------------------------

export const InventoryQuery = z.strictObject({
  ...Page,
  q: z.string().trim().max(100).optional().describe('Part of the id, slug or name of the organization.'),
  orgId: OrgId.optional(),
  desiredState: z.enum(desiredStates).optional(),
  observedState: z.enum(observedStates).optional(),
  image: z.string().max(512).optional().describe('Exact wanted image.'),
  version: z.string().max(100).optional(),
  entitlement: z.enum(['comped', 'paid', 'none']).optional(),
})
export type InventoryQuery = z.infer<typeof InventoryQuery>

export const lifecycleEventKinds = [
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

export const InventoryItem = z.object({
  orgId: OrgId,
  orgSlug: z.string(),
  orgName: z.string(),
  entitlement: z.object({ kind: z.enum(['comped', 'paid']), grantedAt: time }).nullable(),
  daemon: z
    .object({
      name: z.string(),
      uid: z.string(),
      createdAt: time,
      deleting: z.boolean(),
      paused: z.boolean(),
      desiredState: z.enum(desiredStates),
      observedState: z.enum(observedStates),
      image: z.string().describe('Image that is wanted.'),
      servingImage: z.string().optional(),
      lastGoodImage: z.string().optional(),
      version: z.string().optional(),
      provider: z.object({
        app: z.string().optional(),
        machine: z.string().optional(),
        volume: z.string().optional(),
      }),
      storage: z.object({
        size: z.string().describe('Size that is wanted, such as 10Gi.'),
        capacityBytes: count.optional(),
        usedBytes: count.optional(),
      }),
      relay: z.object({ keyGeneration: count, acceptedGeneration: count }),
      conditions: z.array(Condition),
      operation: z.object({ id: z.string(), outcome: z.string(), reason: z.string().optional() }).optional(),
    })
    .nullable(),
  problem: z.string().nullable().describe('Why the control plane does not go on with this daemon by itself.'),
  lastEvent: LifecycleEvent.pick({ kind: true, at: true, observedState: true }).nullable(),
  claim: z.object({ action: OperationAction, operationId: z.string(), expired: z.boolean() }).nullable(),
})
export type InventoryItem = z.infer<typeof InventoryItem>
export const Inventory = z.object({ ok, daemons: z.array(InventoryItem), total: count, nextCursor })

// --- fleet rollouts -----------------------------------------------------------------------------------------------

export const RolloutId = z.string().regex(/^rol_[a-z2-7]{24}$/, 'must be an id that begins with rol_')
export const RolloutParams = z.object({ rolloutId: RolloutId })

const HourMinute = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be HH:MM')
export const QuietHours = z
  .strictObject({
    from: HourMinute,
    to: HourMinute,
    timeZone: z
      .string()
      .max(64)
      .default('UTC')
      .refine((zone) => isTimeZone(zone), 'must be an IANA time zone'),
  })
  .describe('When given, running daemons are rolled only within; sleeping ones are then woken for it.')
export type QuietHours = z.infer<typeof QuietHours>

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone.length > 0
  } catch {
    return false
  }
}

export const RolloutSettings = z.strictObject({
  canary: z
    .strictObject({
      count: z.number().int().min(1).max(100).default(1),
      orgIds: z.array(OrgId).max(100).default([]).describe('Organizations that go first, before chosen ones.'),
    })
    .default({ count: 1, orgIds: [] }),
  shares: z
    .array(z.number().int().min(1).max(100))
    .min(1)
    .max(20)
    .default([5, 25, 100])
    .refine((shares) => shares.at(-1) === 100 && shares.every((share, i) => share > (shares[i - 1] ?? 0)), {
      message: 'must rise and end with 100',
    })
    .describe('Cumulative percentages of the fleet after each wave that follows the canary.'),
  soakSeconds: z.number().int().min(0).max(604_800).default(300).describe('Quiet time after a wave before the next.'),
  concurrency: z.number().int().min(1).max(100).default(5).describe('Rolls at a time.'),
  failureBudget: z.number().int().min(0).max(10_000).default(1).describe('Failures that are borne; one more stops it.'),
  quietHours: QuietHours.optional(),
})
export type RolloutSettings = z.infer<typeof RolloutSettings>

export const CreateRolloutRequest = z.strictObject({
  operationId: OperationId,
  reason: Reason,
  image: ImageReferenceText,
  confirmation: z.string().max(512).describe('The exact image reference again.'),
  settings: RolloutSettings.prefault({}),
})
/** What a rollout would do; nothing is recorded. */
export const PlanRolloutRequest = CreateRolloutRequest.pick({ image: true, settings: true })

export const rolloutStates = ['running', 'paused', 'stopped', 'aborted', 'succeeded'] as const
export const rolloutMemberStates = [
  'pending',
  'rolling',
  'succeeded',
  'failed',
  'stalled',
  'deferred',
  'skipped',
] as const
export type RolloutState = (typeof rolloutStates)[number]
export type RolloutMemberState = (typeof rolloutMemberStates)[number]

const MemberCounts = z.object({
  total: count,
  pending: count,
  rolling: count,
  succeeded: count,
  failed: count,
  stalled: count.describe('In progress for so long that they count as failures until they end.'),
  deferred: count.describe('Asleep: rolled at their next wake, or in quiet hours.'),
  skipped: count,
})
export type MemberCounts = z.infer<typeof MemberCounts>

export const Rollout = z.object({
  id: RolloutId,
  operationId: z.string(),
  image: z.string(),
  reason: z.string(),
  actor: Actor,
  state: z.enum(rolloutStates),
  stateReason: z.string().optional().describe('CamelCase cause of a stop, such as FailureBudgetSpent.'),
  settings: RolloutSettings,
  currentWave: count,
  soakUntil: time.optional(),
  waves: z.array(MemberCounts.extend({ index: count, name: z.string() })),
  counts: MemberCounts,
  problems: z
    .array(z.object({ orgId: OrgId, operationId: z.string(), state: z.string(), reason: z.string().optional() }))
    .describe('The newest failed and stalled members, 50 at most.'),
  createdAt: time,
  finishedAt: time.optional(),
})
export type Rollout = z.infer<typeof Rollout>
export const RolloutResult = z.object({ ok, rollout: Rollout })
export const RolloutList = z.object({ ok, rollouts: z.array(Rollout.omit({ problems: true })), nextCursor })
export const RolloutPlan = z.object({
  ok,
  image: z.string(),
  total: count,
  alreadyThere: count.describe('Daemons that want this image already; they are left alone.'),
  waves: z.array(z.object({ index: count, name: z.string(), members: count, sleeping: count })),
})
/** Body of pause, resume and abort. `failureBudget` of a resume replaces the old one and counts from now. */
export const RolloutChangeRequest = z.strictObject({
  reason: Reason,
  failureBudget: z.number().int().min(0).max(10_000).optional(),
})

// --- audit --------------------------------------------------------------------------------------------------------

/** A chain of the audit: an organization's, or the platform's own. */
export const AuditChain = z.union([OrgId, z.literal('platform')])
export type AuditChain = z.infer<typeof AuditChain>

/** What an audit entry says. It has no place for content: no names of notes, no paths, no free values. */
export const AuditRecord = z.strictObject({
  at: time,
  event: z.string().regex(/^[a-z_]+(?:\.[a-z_]+)*$/),
  actor: Actor,
  orgId: OrgId.optional(),
  operationId: z.string().max(128).optional(),
  action: OperationAction.optional(),
  reason: z.string().max(500).optional(),
  outcome: z.string().max(64).optional(),
  owner: z.string().max(200).optional(),
  image: z.string().max(512).optional(),
  rolloutId: RolloutId.optional(),
  subject: z.string().max(128).optional().describe('Id of the person, key or member that the event is about.'),
})
export type AuditRecord = z.infer<typeof AuditRecord>
export const AuditEntry = z.object({ seq: count, hash: z.string(), record: AuditRecord })
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditQuery = z.strictObject({ ...Page, chain: AuditChain })
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
