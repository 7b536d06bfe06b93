import type { ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import { conditions } from './conditions.ts'
import { withFacts } from './facts.ts'
import type { Observed } from './observed.ts'
import { observedState } from './observed-state.ts'
import { planKeys } from './plan-keys.ts'
import type { PlanLimits } from './plan-limits.ts'
import { markOperation, markSuccess } from './plan-outcome.ts'
import { isFilling, isVolumeLost, markLostVolume, planGrowthAgain, planVolume } from './plan-volume.ts'
import { planStop, planWorkload } from './plan-workload.ts'
import type { Step } from './step.ts'

// Writers on a volume that fills up should not wait long for it to grow.
const FILLING_MS = 5_000

/**
 * `status` is written before the steps are taken; look again after `requeueAfterMs`. `waitsFor`: what a plan waits for
 * that only waits. The same text again means that nothing has changed.
 */
export type Plan = {
  steps: readonly Step[]
  status: ManagedDaemonStatus
  requeueAfterMs: number
  waitsFor?: string | undefined
}

/** Decides what to do next from what was observed. Pure: the same input gives the same plan. */
export function plan(observed: Observed, limits: PlanLimits): Plan {
  const { daemon, children } = observed
  if (daemon.spec.paused) return finish(observed, daemon.status, [], limits)
  if (daemon.deletedAt) return finish(observed, daemon.status, planDeletion(observed), limits)
  if (children.foreign.length > 0) return finish(observed, daemon.status, [], limits)
  // Not even a stop: a daemon that still runs has the only copy, and a volume that is being deleted goes with its pod.
  if (isVolumeLost(observed)) return finish(observed, markLostVolume(daemon.status, daemon.spec), [], limits)

  // Facts first: record a serving image as the last good one before any other decision.
  const status = markOperation(
    { ...observed, daemon: { ...daemon, status: withFacts(daemon.status, observed, limits) } },
    limits,
  )
  const steps = [
    ...planFixtures(observed),
    ...planVolume(observed),
    ...planKeys(observed),
    ...planWorkload(observed, status),
  ]
  const next = finish(observed, markSuccess(status, { spec: daemon.spec, steps }), steps, limits)
  // Neither the state nor an operation waits for a growth that was refused.
  return steps.length > 0 ? next : { ...next, steps: planGrowthAgain(observed) }
}

function planFixtures({ children: { fixtures } }: Observed): Step[] {
  if (fixtures === 'present') return []
  return [{ kind: 'ensure_fixtures', reason: fixtures === 'absent' ? 'FixturesMissing' : 'FixturesDrifted' }]
}

function planDeletion(observed: Observed): Step[] {
  const { daemon, children } = observed
  const policy = daemon.spec.deletionPolicy
  // The policy may have changed together with the deletion: an owned volume would be deleted, whatever is wanted.
  const { volume } = children
  if (volume !== undefined && volume.owned !== (policy === 'delete'))
    return [{ kind: 'ensure_volume', sizeBytes: volume.requestedBytes, reason: 'VolumeOwnership' }]

  const stop = planStop(observed, 'Deleting')
  // A daemon that is deleted with its volume has nothing to make durable.
  if (stop.length > 0) return policy === 'delete' ? stop.filter(({ kind }) => kind !== 'flush') : stop

  const goingVolume = policy === 'retain' ? undefined : volume
  const left = goingVolume ?? children.workload ?? children.keys.held[0]
  if (left !== undefined || children.fixtures !== 'absent')
    return [{ kind: 'remove_children', policy, reason: 'Deleting' }]
  return [{ kind: 'release', reason: 'ChildrenGone' }]
}

function finish(observed: Observed, marked: ManagedDaemonStatus, steps: readonly Step[], limits: PlanLimits): Plan {
  const facts = withFacts(marked, observed, limits)
  const status: ManagedDaemonStatus = { ...facts, observedState: observedState(observed, facts, limits) }
  status.conditions = conditions(observed, status, steps)
  return { steps, status, requeueAfterMs: requeueAfter(observed, steps, limits), waitsFor: waitOf(observed, steps) }
}

function waitOf({ daemon, children: { machine } }: Observed, steps: readonly Step[]): string | undefined {
  if (steps.length === 0 || steps.some(({ kind }) => kind !== 'wait')) return undefined
  const { id, image, state, startedAt, readySince, problem } = machine ?? {}
  const reasons = steps.map(({ reason }) => reason)
  return JSON.stringify([daemon.generation, reasons, id, image, state, startedAt, readySince, problem?.reason])
}

function requeueAfter(observed: Observed, steps: readonly Step[], limits: PlanLimits): number {
  const { pollMs, steadyMs } = limits
  if (steps.length === 0) return isFilling(observed) ? Math.min(FILLING_MS, steadyMs) : steadyMs
  // After a release, only the watch has news: the resource is gone, or somebody has changed it.
  return steps.every(({ kind }) => kind === 'wait' || kind === 'release') ? pollMs : 0
}
