import type { Clock } from '@svc/shared/kit/clock.ts'

/** One pending wake-up per key: the earliest that was asked for. */
export class Alarm {
  readonly #clock: Clock
  readonly #ring: (key: string) => void
  readonly #set = new Map<string, { at: number; cancel: AbortController }>()

  constructor(clock: Clock, ring: (key: string) => void) {
    this.#clock = clock
    this.#ring = ring
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
        this.#ring(key)
      },
      () => {}, // cancelled
    )
  }

  /** Takes the wake-up of a key back; the next look is decided anew. */
  clear(key: string): void {
    this.#set.get(key)?.cancel.abort()
    this.#set.delete(key)
  }

  stop(): void {
    for (const { cancel } of this.#set.values()) cancel.abort()
    this.#set.clear()
  }
}
