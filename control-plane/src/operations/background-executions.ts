import type { Log } from '@svc/shared/kit/log.ts'

type Deps = {
  execute: (operationId: string, signal: AbortSignal) => Promise<void>
  /** Called after each execution, whatever its outcome. */
  onEnded: ((operationId: string) => Promise<void>) | undefined
  log: Log
}

const AT_MOST = 200
const FULL_AGAIN_MS = 1_000

/**
 * Executions that continue after the job that woke them. An operation waits minutes for a runtime, and the jobs that
 * make progress there share the same few workers. If each execution kept a worker, a rollout would wait for itself.
 */
export function createBackgroundExecutions({ execute, onEnded, log }: Deps) {
  const running = new Map<string, Promise<void>>()

  const follow = async (operationId: string, signal: AbortSignal): Promise<void> => {
    try {
      await execute(operationId, signal)
      await onEnded?.(operationId)
    } catch (err) {
      if (!signal.aborted) log.error({ err, operationId }, 'an execution broke off; a sweep follows')
    } finally {
      running.delete(operationId)
    }
  }

  return {
    /**
     * Starts an execution unless this process is already running it. When too many run, returns when to wake it again.
     */
    start: async (operationId: string, signal: AbortSignal): Promise<{ againInMs: number } | void> => {
      if (running.has(operationId)) return
      if (running.size >= AT_MOST) return { againInMs: FULL_AGAIN_MS }
      running.set(operationId, follow(operationId, signal))
    },

    /** Waits for running executions. Their abort signal makes them release their claims. */
    drain: async (): Promise<void> => {
      await Promise.all(running.values())
    },
  }
}
