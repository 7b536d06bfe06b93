import type { Guards } from '../http/guards.ts'
import { rolloutOfOperation } from './create-rollout.ts'
import { createRolloutControl, type RolloutsDeps } from './rollout-control.ts'
import { rolloutsRoutes } from './rollouts.routes.ts'

type RouteDeps = {
  guards: Guards
  /** Throws unless an image may run here. */
  checkImage(image: string): void
}
export type Rollouts = ReturnType<typeof createRollouts>

/** Fleet rollouts, the job that advances them, and their routes. */
export function createRollouts(deps: RolloutsDeps) {
  const rollouts = createRolloutControl(deps)
  return {
    ...rollouts,
    /** Advances the rollout of an operation that ended. */
    onOperationEnded: async (operationId: string): Promise<void> => {
      const rolloutId = rolloutOfOperation(operationId)
      if (rolloutId !== undefined) await deps.wake(rolloutId)
    },
    routes: ({ guards, checkImage }: RouteDeps) => [rolloutsRoutes({ guards, rollouts, checkImage })],
  }
}
