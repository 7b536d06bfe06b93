import type { Activity } from '@svc/shared/wire/daemon/daemon-activity.ts'
import { isLosingVolume, type ManagedDaemon, type ObservedState } from '@svc/shared/wire/managed-daemon.ts'

/** Check again later, or go on. */
export type Look = { kind: 'later'; afterMs: number } | { kind: 'go_on' }

const SECOND = 1_000
/** A wake makes a daemon due sooner; this only covers wakes by operations. */
const RARELY_MS = 30 * 60 * SECOND
const SOON_MS = 30 * SECOND
/** How often to look for a request to a daemon that is about to stop. Its pod needs a few seconds to go. */
export const STOPPING_MS = 2 * SECOND
/** One that is to sleep serves in these states until it stops. */
const servesOn: ReadonlySet<ObservedState> = new Set(['running', 'starting', 'degraded', 'stopping'])

/**
 * Whether to query a daemon for its activity: one that runs and may sleep, or that has yet to stop for its sleep. Pure.
 */
export function decideAsking(
  idleSeconds: number,
  daemon: ManagedDaemon | undefined,
): Look | { kind: 'stopping'; observedState: ObservedState } {
  if (idleSeconds === 0 || daemon === undefined || daemon.deletedAt !== undefined) return later(RARELY_MS)
  // The operator does not stop it, and it needs backups, which a daemon that is to sleep does not get.
  if (daemon.spec.paused || isLosingVolume(daemon.status)) return later(RARELY_MS)
  const { observedState } = daemon.status
  if (daemon.spec.desiredState === 'sleeping')
    return servesOn.has(observedState) ? { kind: 'stopping', observedState } : later(RARELY_MS)
  if (observedState !== 'running') return later(Math.min(idleSeconds * SECOND, SOON_MS))
  return { kind: 'go_on' }
}

/**
 * After how many milliseconds to look again at a daemon that has yet to stop: soon while its stop is near. Nobody stops
 * it while the operator is away, and then many such daemons would take all the time of the workers. Pure.
 */
export function decideStopping(observedState: ObservedState, sinceRequestMs: number): number {
  return observedState === 'stopping' || sinceRequestMs < SOON_MS ? STOPPING_MS : SOON_MS
}

/**
 * Whether a daemon with this activity has been idle for long enough. A daemon that does not respond, or is too old to
 * report activity, stays awake. Pure.
 */
export function decideIdle(idleSeconds: number, activity: Activity | undefined): Look {
  const idleMs = idleSeconds * SECOND
  if (activity === undefined) return later(Math.max(idleMs, SOON_MS))
  if (activity.inProgress > 0) return later(idleMs)
  return activity.idleMs >= idleMs ? { kind: 'go_on' } : later(idleMs - activity.idleMs)
}

/** Whether somebody has used a daemon since it had been idle for long enough to be put to sleep. Pure. */
export function isUsedAgain(idleSeconds: number, activity: Activity | undefined): boolean {
  return activity !== undefined && decideIdle(idleSeconds, activity).kind === 'later'
}

/** Whether nobody has used the daemon since the last look. Pure. */
export function isUntouched(before: Activity, now: Activity | undefined): boolean {
  return now !== undefined && now.inProgress === 0 && now.sequence === before.sequence
}

const later = (afterMs: number): Look => ({ kind: 'later', afterMs })
