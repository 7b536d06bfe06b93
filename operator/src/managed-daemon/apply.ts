import { isDeepStrictEqual } from 'node:util'
import type { ManagedDaemon, ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { reportFailure, reportRefusedGrowth } from './conditions.ts'
import type { Observed } from './observed.ts'
import type { Plan } from './plan.ts'
import { markRefusal } from './plan-outcome.ts'
import { StepRefused, type Step } from './step.ts'

export type ApplyDeps = {
  store: Pick<ManagedDaemonStore, 'putStatus' | 'release'>
  runtime: Runtime
  /** Called with each newer version of the resource that a write returned. */
  seen: (daemon: ManagedDaemon) => void
}

/**
 * Carries a plan out: first the status, so that a crash at any later point can be understood, then the steps in order.
 * For a new daemon and for a waking one the steps come first, because somebody waits for them. The first failing step
 * ends the pass, is reported in the status, and is thrown so that the queue retries. A refused growth is only reported:
 * a daemon whose volume does not grow still rolls, sleeps and changes its key.
 */
export async function apply({ store, runtime, seen }: ApplyDeps, observed: Observed, plan: Plan): Promise<void> {
  let { daemon } = observed
  const report = async (status: ManagedDaemonStatus) => {
    if (isDeepStrictEqual(daemon.status, withoutUndefined(status))) return
    daemon = await store.putStatus(daemon.name, daemon.resourceVersion, withoutUndefined(status))
    seen(daemon)
  }

  const steps = plan.steps.filter((step) => step.kind !== 'wait')
  const before = isWake(daemon, steps) ? { ...daemon.status, observedState: plan.status.observedState } : daemon.status
  if (steps.length === 0 || (changesMarker(before, plan.status) && !isFirstOf(daemon, plan))) await report(plan.status)
  let { status } = plan
  for (const step of steps) {
    try {
      if (step.kind === 'release') await store.release(daemon.name, daemon.resourceVersion)
      else await runtime.execute(daemon, step)
    } catch (error) {
      const failure = { step, message: error instanceof Error ? error.message : '' }
      if (error instanceof StepRefused) status = markRefusal(daemon.spec, status, failure)
      const isRefusedGrowth = error instanceof StepRefused && step.kind === 'grow_volume'
      status = isRefusedGrowth
        ? reportRefusedGrowth(observed, status, plan.steps)
        : reportFailure(observed, status, failure)
      await report(status)
      if (!isRefusedGrowth) throw error
    }
  }
  // The API drops a field that its definition lacks. Without an error, the growth would be tried again without pause.
  if (status.failedGrowth !== undefined && daemon.status.failedGrowth === undefined)
    throw new Error('The definition of ManagedDaemon is older than this operator: apply the one of this release.')
}

// The first pass over a new daemon only creates what is missing, and does the same again after a crash. The next pass
// follows at once and reports the result together with the key, in one write.
const isFirstOf = ({ status }: ManagedDaemon, plan: Plan) =>
  status.observedGeneration === undefined && plan.status.observedState === 'provisioning'

// The pod also shows that a sleeping daemon starts, so the pass after the start may write the status.
const isWake = ({ status }: ManagedDaemon, steps: Step[]) =>
  status.observedState === 'sleeping' && steps.every(({ kind }) => kind === 'start_workload')

// Compares the parts of the status by which a later pass or another executor decides. They are written before the
// steps. The rest can wait for the pass after the steps, because every watcher sees each write.
function changesMarker(before: ManagedDaemonStatus, after: ManagedDaemonStatus): boolean {
  const marker = (status: ManagedDaemonStatus) => {
    const { operation, lastGoodImage, failedRoll, failedGrowth, image, relay, observedState } = status
    const marks = { operation, lastGoodImage, failedRoll, failedGrowth, image, relay, observedState }
    return withoutUndefined({ ...marks, conditions: [] })
  }
  return !isDeepStrictEqual(marker(before), marker(after))
}

// Stored objects have no undefined members, so remove them before comparing.
const withoutUndefined = (status: ManagedDaemonStatus) => JSON.parse(JSON.stringify(status)) as ManagedDaemonStatus
