import type { QuietHours, RolloutState } from '@svc/shared/wire/admin/rollouts.api.ts'
import { isSameImage } from '@svc/shared/wire/image-reference.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { quietAt } from './quiet-hours.ts'
import type { MemberUnderWay } from './rollout-members.repository.ts'

/** What to do with a member whose turn it is. */
export type TurnDecision =
  { kind: 'roll' } | { kind: 'defer' } | { kind: 'skip'; reason: 'Gone' | 'AlreadyThere' | 'Superseded' }

type Turn = {
  image: string
  wakes: boolean
  /** Whether an admin has rolled this organization alone since the rollout was created. */
  isSuperseded: boolean
}

/** A sleeping daemon is not woken for a rollout outside quiet hours: it is deferred and blocks nobody. Pure. */
export function decideTurn(daemon: ManagedDaemon | undefined, { image, wakes, isSuperseded }: Turn): TurnDecision {
  if (daemon === undefined || daemon.deletedAt !== undefined) return { kind: 'skip', reason: 'Gone' }
  if (isSameImage(daemon.spec.image, image) && isSameImage(image, daemon.status.image ?? ''))
    return { kind: 'skip', reason: 'AlreadyThere' }
  if (isSuperseded) return { kind: 'skip', reason: 'Superseded' }
  return daemon.spec.desiredState === 'sleeping' && !wakes ? { kind: 'defer' } : { kind: 'roll' }
}

/** What to do with a member whose roll is in progress. `again` requests the same operation once more. */
export type ProgressDecision =
  | { kind: 'succeeded' }
  | { kind: 'failed'; reason: string }
  | { kind: 'stalled'; reason: string }
  | { kind: 'skipped'; reason: 'Gone' | 'Superseded' | 'Aborted' }
  /** Its roll has not begun and may not begin now: it returns to its wave. */
  | { kind: 'released' }
  | { kind: 'again' }
  | { kind: 'wait' }

/** What the decision about a member depends on besides the member. */
type RolloutNow = { state: RolloutState; currentWave: number; quietHours?: QuietHours | undefined; now: Date }

const ATTEMPTS = 3
const STALLED_MS = 15 * 60_000
const ASK_AGAIN_MS = 10_000
/** Reasons of operations that came after the end of their daemon: nothing is wrong with the image. */
const GONE = new Set(['OrganizationDeleted', 'Deleting', 'NoManagedDaemon'])

/**
 * Judges a roll by its operation. One that has been in progress for too long counts as a failure until it ends. Pure.
 */
export function decideProgress(member: MemberUnderWay, rollout: RolloutNow): ProgressDecision {
  const { operation, beganAt, state } = member
  const { now } = rollout
  const age = now.getTime() - (beganAt ?? now).getTime()
  if (operation?.state === 'succeeded') return { kind: 'succeeded' }
  const held = operation === undefined ? decideUnbegun(member, rollout) : undefined
  if (held) return held
  if (operation?.state === 'failed' && GONE.has(operation.reason ?? '')) return { kind: 'skipped', reason: 'Gone' }
  if (operation?.state === 'failed') return { kind: 'failed', reason: operation.reason ?? 'Failed' }
  if (operation?.state === 'retryable' && operation.attempts >= ATTEMPTS)
    return { kind: 'failed', reason: operation.reason ?? 'RetriesExhausted' }
  if (state === 'rolling' && age > STALLED_MS) return { kind: 'stalled', reason: operation?.state ?? 'busy' }

  // A repeated request reopens a retryable operation, and reconciles one whose executor is gone by its marker.
  const executing = operation?.state === 'executing' || operation?.state === 'requested'
  return executing && age < ASK_AGAIN_MS ? { kind: 'wait' } : { kind: 'again' }
}

/** Decides about a member whose organization was busy all the time. Undefined: its roll may begin. */
function decideUnbegun(member: MemberUnderWay, rollout: RolloutNow): ProgressDecision | undefined {
  const { state, quietHours, now, currentWave } = rollout
  // The organization was busy with what supersedes the roll.
  if (member.isSuperseded) return { kind: 'skipped', reason: 'Superseded' }
  if (state === 'aborted') return { kind: 'skipped', reason: 'Aborted' }

  const begins = state === 'running' || state === 'succeeded'
  if (begins && (quietHours === undefined || quietAt(now, quietHours).quiet)) return undefined
  // Nobody looks again for pending members of a wave that is over.
  const isOfWave = state !== 'succeeded' && member.wave === currentWave
  return isOfWave && member.state === 'rolling' ? { kind: 'released' } : { kind: 'wait' }
}
