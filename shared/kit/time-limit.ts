type Options = { ms: number; signals?: readonly (AbortSignal | undefined)[] }

/**
 * Runs work with a signal that aborts after a time or with one of the others, and removes timer and listeners at the
 * end of the work. `AbortSignal.timeout` and `any` stay in memory until the time is over: at hundreds of requests a
 * second that is most of the memory.
 */
export async function withTimeLimit<T>(
  { ms, signals = [] }: Options,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')), ms)
  const held = signals.filter((signal) => signal !== undefined)
  const abort = () => limit.abort(held.find(({ aborted }) => aborted)?.reason)
  for (const signal of held) signal.addEventListener('abort', abort, { once: true })
  try {
    if (held.some(({ aborted }) => aborted)) abort()
    limit.signal.throwIfAborted()
    return await work(limit.signal)
  } finally {
    clearTimeout(timer)
    for (const signal of held) signal.removeEventListener('abort', abort)
  }
}
