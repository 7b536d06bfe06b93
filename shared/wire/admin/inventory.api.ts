import { z } from 'zod'
import { LifecycleEvent, Mutation, nextCursor, OperationAction, pageFields } from './admin.api.ts'
import { BackupState } from '../backups.api.ts'
import { OrgId } from '../ids.ts'
import { Condition, desiredStates, observedStates } from '../managed-daemon.ts'
import { text } from '../text.ts'

/** What system admins see of all hosted organizations and their daemons: the inventory, and its overview. */

const ok = z.literal(true)
const time = z.iso.datetime()
const count = z.number().int().min(0)

/** The state of a daemon for the people who look after all of them. */
export const standings = ['attention', 'changing', 'running', 'asleep'] as const
export type Standing = (typeof standings)[number]

export const InventoryQuery = z.strictObject({
  ...pageFields,
  q: text().trim().max(100).optional().describe('Part of the id, slug or name of the organization.'),
  orgId: OrgId.optional(),
  desiredState: z.enum(desiredStates).optional(),
  observedState: z.enum(observedStates).optional(),
  image: text().max(512).optional().describe('Exact wanted image.'),
  version: text().max(100).optional(),
  standing: z.enum(standings).optional(),
  entitlement: z.enum(['comped', 'paid', 'none']).optional(),
})
export type InventoryQuery = z.infer<typeof InventoryQuery>

/** One daemon in the list. */
export const DaemonView = z.object({
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
    refusedBytes: count
      .optional()
      .describe('Size that the storage refused to give; any above the capacity may be asked for.'),
  }),
  relay: z.object({ keyGeneration: count, acceptedGeneration: count }),
  conditions: z.array(Condition),
  operation: z.object({ id: z.string(), outcome: z.string(), reason: z.string().optional() }).optional(),
})
export type DaemonView = z.infer<typeof DaemonView>

export const InventoryItem = z.object({
  orgId: OrgId,
  orgSlug: z.string(),
  orgName: z.string(),
  entitlement: z.object({ kind: z.enum(['comped', 'paid']), grantedAt: time }).nullable(),
  daemon: DaemonView.nullable().describe('As it was last seen, a moment ago; null: it has none.'),
  problem: z.string().nullable().describe('Why the control plane does not go on with this daemon by itself.'),
  backup: BackupState.nullable().describe('Null: it has no daemon, or the platform has no storage for backups.'),
  lastEvent: LifecycleEvent.pick({ kind: true, at: true, observedState: true }).nullable(),
  claim: z
    .object({
      action: OperationAction,
      operationId: z.string(),
      expired: z.boolean().describe('A long operation outlasts its claim. It is stuck only once its executor is gone.'),
      executorAlive: z.boolean(),
    })
    .nullable(),
})
export type InventoryItem = z.infer<typeof InventoryItem>
export const Inventory = z.object({ ok, daemons: z.array(InventoryItem), total: count, nextCursor })

// --- overview -----------------------------------------------------------------------------------------------------

const attentionKinds = [
  'failed',
  'update_failed',
  'storage_full',
  'not_connected',
  'degraded',
  'stuck',
  'claim_expired',
] as const
/** Why somebody should look at a daemon. */
export const Attention = z.object({
  kind: z.enum(attentionKinds),
  reason: z.string().describe('The cause in a sentence.'),
  since: time.optional().describe('Absent where it is not known.'),
})
export type Attention = z.infer<typeof Attention>

export const OverviewHour = z.object({
  from: time.describe('Begin of the hour.'),
  awake: count.describe('Daemons that were running when it ended, or are now.'),
  succeeded: count.describe('Operations that ended well in it.'),
  failed: count.describe('Operations that failed in it.'),
})
export type OverviewHour = z.infer<typeof OverviewHour>

export const Overview = z.object({
  ok,
  at: time.describe('When this was read.'),
  total: count.describe('Hosted organizations, with those that have no daemon.'),
  counts: z.object({ attention: count, changing: count, running: count, asleep: count, none: count }),
  attention: z
    .array(Attention.extend({ orgId: OrgId, orgSlug: z.string(), orgName: z.string() }))
    .describe('The 20 that have waited longest.'),
  storage: z.object({
    deciles: z.array(count).length(10).describe('Daemons by the used share of their volume: below 10 %, 20 %, ….'),
    usedBytes: count,
    capacityBytes: count,
  }),
  day: z.array(OverviewHour).length(24).describe('The last 24 hours, oldest first.'),
  operations: z.array(Mutation.extend({ orgName: z.string().optional() })).describe('The 8 that were requested last.'),
})
export type Overview = z.infer<typeof Overview>
