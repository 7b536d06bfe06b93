import type { Clock } from '@svc/shared/kit/clock.ts'

export type OperationChanges = ReturnType<typeof createOperationChanges>

/** Tells waiters of this process that an operation has changed. Only a hint; the record is the truth. */
export function createOperationChanges(clock: Clock) {
  const waiting = new Map<string, Set<() => void>>()

  return {
    announce: (operationId: string): void => {
      for (const wake of waiting.get(operationId) ?? []) wake()
    },

    /** Resolves at the next change reported here, after that time, or when the signal aborts. */
    next: async (operationId: string, ms: number, signal?: AbortSignal): Promise<void> => {
      const stop = new AbortController()
      const waiters = waiting.get(operationId) ?? new Set()
      const wake = () => stop.abort()
      waiting.set(operationId, waiters.add(wake))
      try {
        await clock.sleep(ms, signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]))
      } catch {
        // Woken early.
      } finally {
        waiters.delete(wake)
        if (waiters.size === 0) waiting.delete(operationId)
      }
    },
  }
}
