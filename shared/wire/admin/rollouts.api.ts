import { z } from 'zod'
import { Actor, nextCursor, OperationId, Reason } from './admin.api.ts'
import { OrgId } from '../ids.ts'
import { ImageReferenceText } from '../image-reference.ts'
import { text } from '../text.ts'

/** Request and response schemas of fleet rollouts (`/api/admin/rollouts`). */

const ok = z.literal(true)
const time = z.iso.datetime()
const count = z.number().int().min(0)

export const RolloutId = z.string().regex(/^rol_[a-z2-7]{24}$/, 'must be an id that begins with rol_')
export const RolloutParams = z.object({ rolloutId: RolloutId })

const HourMinute = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be HH:MM')
export const QuietHours = z
  .strictObject({
    from: HourMinute,
    to: HourMinute,
    timeZone: text()
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
  confirmation: text().max(512).describe('The exact image reference again.'),
  settings: RolloutSettings.prefault({}),
})
/** What a rollout would do; nothing is recorded. */
export const PlanRolloutRequest = CreateRolloutRequest.pick({ image: true, settings: true })

const rolloutStates = ['running', 'paused', 'stopped', 'aborted', 'succeeded'] as const
const rolloutMemberStates = ['pending', 'rolling', 'succeeded', 'failed', 'stalled', 'deferred', 'skipped'] as const
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
