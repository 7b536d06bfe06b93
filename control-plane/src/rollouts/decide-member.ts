import { isSameImage } from '@svc/shared/wire/image-reference.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
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
  | { kind: 'skipped'; reason: 'Gone' | 'Superseded' }
  | { kind: 'again' }
  | { kind: 'wait' }

const ATTEMPTS = 3
const STALLED_MS = 15 * 60_000
const ASK_AGAIN_MS = 10_000
/** Reasons of operations that came after the end of their daemon: nothing is wrong with the image. */
const GONE = new Set(['OrganizationDeleted', 'Deleting', 'NoManagedDaemon'])

/**
 * Judges a roll by its operation. One that has been in progress for too long counts as a failure until it ends. Pure.
 */
export function decideProgress(member: MemberUnderWay, now: Date): ProgressDecision {
  const { operation, beganAt, state } = member
  const age = now.getTime() - (beganAt ?? now).getTime()
  if (operation?.state === 'succeeded') return { kind: 'succeeded' }
  // The organization was busy with what supersedes the roll.
  if (operation === undefined && member.isSuperseded) return { kind: 'skipped', reason: 'Superseded' }
  if (operation?.state === 'failed' && GONE.has(operation.reason ?? '')) return { kind: 'skipped', reason: 'Gone' }
  if (operation?.state === 'failed') return { kind: 'failed', reason: operation.reason ?? 'Failed' }
  if (operation?.state === 'retryable' && operation.attempts >= ATTEMPTS)
    return { kind: 'failed', reason: operation.reason ?? 'RetriesExhausted' }
  if (state === 'rolling' && age > STALLED_MS) return { kind: 'stalled', reason: operation?.state ?? 'busy' }

  // A repeated request reopens a retryable operation, and reconciles one whose executor is gone by its marker.
  const executing = operation?.state === 'executing' || operation?.state === 'requested'
  return executing && age < ASK_AGAIN_MS ? { kind: 'wait' } : { kind: 'again' }
}
