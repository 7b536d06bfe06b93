import type { Clock } from '@svc/shared/kit/clock.ts'

/** One timer per key. Setting a key again can only make its timer fire earlier. */
export class KeyedTimers {
  readonly #clock: Clock
  readonly #fire: (key: string) => void
  readonly #set = new Map<string, { at: number; cancel: AbortController }>()

  constructor(clock: Clock, fire: (key: string) => void) {
    this.#clock = clock
    this.#fire = fire
  }

  set(key: string, afterMs: number): void {
    const at = this.#clock.monotonic() + afterMs
    const pending = this.#set.get(key)
    if (pending && pending.at <= at) return
    pending?.cancel.abort()

    const cancel = new AbortController()
    this.#set.set(key, { at, cancel })
    this.#clock.sleep(afterMs, cancel.signal).then(
      () => {
        this.#set.delete(key)
        this.#fire(key)
      },
      () => {}, // cancelled
    )
  }

  /** Cancels the timer of a key. */
  clear(key: string): void {
    this.#set.get(key)?.cancel.abort()
    this.#set.delete(key)
  }

  stop(): void {
    for (const { cancel } of this.#set.values()) cancel.abort()
    this.#set.clear()
  }
}
