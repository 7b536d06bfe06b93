import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Guards } from '../http/guards.ts'
import type { JobHandler } from '../jobs/jobs.ts'
import { createBackgroundExecutions } from './background-executions.ts'
import { holdExecutorLock, type ExecutorLock } from './executor-lock.ts'
import { mutationsRoutes, type FindSlug } from './mutations.routes.ts'
import { createOperationEngine, EXECUTE_OPERATION, type OperationsDeps } from './operation-engine.ts'

export type Operations = ReturnType<typeof createOperations>

type WorkerDeps = {
  databaseUrl: Secret
  /** Called after each execution, whatever its outcome. */
  onEnded: ((operationId: string) => Promise<void>) | undefined
}

/** The engine of audited operations, the worker that executes them, and the routes that show them. */
export function createOperations(deps: OperationsDeps) {
  const { executor, clock, log } = deps
  const engine = createOperationEngine(deps)

  return {
    ...engine,
    routes: (guards: Guards, findOrganization: FindSlug) => [
      mutationsRoutes({ guards, operations: engine, findOrganization }),
    ],

    /** Executes operations while it holds its lock, which protects its claims from recovery. */
    worker: ({ databaseUrl, onEnded }: WorkerDeps) => {
      const executions = createBackgroundExecutions({ execute: engine.execute, onEnded, log })
      let lock: ExecutorLock | undefined
      return {
        handlers: { [EXECUTE_OPERATION]: executions.start } as Record<string, JobHandler>,
        /** Before the first job. */
        start: async (): Promise<void> => {
          lock = await holdExecutorLock({ databaseUrl, executor, clock, log, random: Math.random })
        },
        /** After the last job. */
        close: async (): Promise<void> => {
          await executions.drain()
          await lock?.release()
        },
      }
    },
  }
}
