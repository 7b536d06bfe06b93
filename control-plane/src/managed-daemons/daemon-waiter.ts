import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'

type Wait<T> = {
  name: string
  /** Judges the resource; undefined means to keep waiting. */
  judge: (daemon: ManagedDaemon | undefined) => T | undefined
  timeoutMs: number
  signal?: AbortSignal
}
export type DaemonWaiter = ReturnType<typeof createDaemonWaiter>

// Events only shorten the wait; polling is what the waiter relies on.
const LOOK_AGAIN_MS = 10_000

/** Waits until a managed daemon is in the wanted state. One watch of the store serves every waiter of this process. */
export function createDaemonWaiter({ store, clock, log }: { store: ManagedDaemonStore; clock: Clock; log: Log }) {
  const waiting = new Map<string, Set<() => void>>()
  let unwatch: (() => void) | undefined

  const follow = () => {
    unwatch ??= store.watch((event) => {
      if (event.type === 'synced') return
      const name = event.type === 'upserted' ? event.daemon.name : event.name
      for (const wake of waiting.get(name) ?? []) wake()
    })
  }

  /** Resolves at the next event of that resource, after a while, or when the signal aborts. */
  const next = (name: string, ms: number, signal: AbortSignal | undefined) => {
    const stop = new AbortController()
    const waiters = waiting.get(name) ?? new Set()
    const wake = () => stop.abort()
    waiting.set(name, waiters.add(wake))
    const either = signal ? AbortSignal.any([stop.signal, signal]) : stop.signal
    const passed = clock.sleep(ms, either).catch(() => {})
    return passed.finally(() => {
      waiters.delete(wake)
      if (waiters.size === 0) waiting.delete(name)
    })
  }

  /** A failed read is no absence: it is retried. */
  const read = async (name: string): Promise<{ daemon: ManagedDaemon | undefined } | undefined> => {
    try {
      return { daemon: await store.find(name) }
    } catch (error) {
      log.warn({ err: error, name }, 'a managed daemon could not be read; looking again')
      return undefined
    }
  }

  return {
    /** The first verdict of the judge; undefined when time is up. Throws the signal's reason when it aborts. */
    until: async <T>({ name, judge, timeoutMs, signal }: Wait<T>): Promise<T | undefined> => {
      follow()
      const deadline = clock.monotonic() + timeoutMs
      for (;;) {
        signal?.throwIfAborted()
        const left = deadline - clock.monotonic()
        // Start listening before reading, so that no change is missed in between.
        const changed = next(name, Math.max(0, Math.min(left, LOOK_AGAIN_MS)), signal)
        const found = await read(name)
        const verdict = found && judge(found.daemon)
        if (verdict !== undefined) return verdict
        if (left <= 0) return undefined
        await changed
      }
    },

    close: (): void => unwatch?.(),
  }
}
