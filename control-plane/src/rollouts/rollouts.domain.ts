import type { Guards } from '../http/guards.ts'
import type { OperationRecord } from '../operations/operation.ts'
import { rolloutOfOperation } from './create-rollout.ts'
import { createRolloutControl, type RolloutsDeps } from './rollout-control.ts'
import { rolloutsRoutes } from './rollouts.routes.ts'

type FindOperation = (operationId: string) => Promise<Pick<OperationRecord, 'orgId' | 'state'> | undefined>
type RouteDeps = {
  guards: Guards
  /** Throws unless an image may run here. */
  checkImage(image: string): void
}
// A process that stops hands its operation back: that one is still requested.
const ended = new Set(['succeeded', 'failed', 'retryable'])

export type Rollouts = ReturnType<typeof createRollouts>

/** Fleet rollouts, the job that advances them, and their routes. */
export function createRollouts(deps: RolloutsDeps & { findOperation: FindOperation }) {
  const rollouts = createRolloutControl(deps)
  return {
    ...rollouts,
    /** Advances the rollout of an operation that ended. Any other may have woken a daemon with a deferred roll. */
    onOperationEnded: async (operationId: string): Promise<void> => {
      const rolloutId = rolloutOfOperation(operationId)
      if (rolloutId !== undefined) return deps.wake(rolloutId)
      const operation = await deps.findOperation(operationId)
      if (operation !== undefined && ended.has(operation.state)) await rollouts.rollAwake(operation.orgId)
    },
    routes: ({ guards, checkImage }: RouteDeps) => [rolloutsRoutes({ guards, rollouts, checkImage })],
  }
}
