type CallId = { sessionId: string; requestId: string | number }

/** Calls of sessions that are in flight on this replica, so that a client can cancel one by its id. */
export function createInFlightCalls() {
  const calls = new Map<string, AbortController>()
  const keyOf = ({ sessionId, requestId }: CallId) => JSON.stringify([sessionId, requestId])

  return {
    /** Runs a call with a signal that also aborts when the client cancels it. */
    run: async <Result>(id: CallId, gone: AbortSignal, call: (signal: AbortSignal) => Promise<Result>) => {
      const key = keyOf(id)
      const cancelled = new AbortController()
      calls.set(key, cancelled)
      try {
        return await call(AbortSignal.any([gone, cancelled.signal]))
      } finally {
        if (calls.get(key) === cancelled) calls.delete(key)
      }
    },
    cancel: (id: CallId): void => calls.get(keyOf(id))?.abort(),
  }
}

export type InFlightCalls = ReturnType<typeof createInFlightCalls>
