import type { Clock } from '@svc/shared/kit/clock.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { apply, type ApplyDeps } from './apply.ts'
import { hasOwnName } from './names.ts'
import { observe } from './observe.ts'
import type { PlanLimits } from './plan-limits.ts'
import { plan, type Plan } from './plan.ts'

/** One pass over one daemon: observe, plan, apply. Returns when to look again. */
export function createReconcileDaemon(deps: ApplyDeps & { clock: Clock; limits: PlanLimits }) {
  return async (daemon: ManagedDaemon): Promise<Pick<Plan, 'requeueAfterMs' | 'waitsFor'>> => {
    if (!hasOwnName(daemon)) return { requeueAfterMs: deps.limits.steadyMs }
    const observed = await observe(daemon, deps.runtime, deps.clock)
    const next = plan(observed, deps.limits)
    await apply(deps, observed, next)
    return { requeueAfterMs: next.requeueAfterMs, waitsFor: next.waitsFor }
  }
}
