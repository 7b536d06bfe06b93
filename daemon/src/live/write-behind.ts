/** When a note is saved while somebody types: after a pause, and at the latest after a maximum delay. */
export type WriteBehindTimes = { idleMs: number; atMostMs: number }

// The longest delay between two attempts on a volume that fails.
const MAX_RETRY_MS = 60_000

/** The timers that save one note while somebody types. A failed save is retried with growing delays. */
export class WriteBehind {
  readonly #times: WriteBehindTimes
  readonly #save: () => void
  #idle: NodeJS.Timeout | undefined
  #atMost: NodeJS.Timeout | undefined
  #failures = 0
  #isHeld = false

  constructor(times: WriteBehindTimes, save: () => void) {
    this.#times = times
    this.#save = save
  }

  /** Something is unsaved. */
  arm(): void {
    if (this.#isHeld) return
    const { idleMs, atMostMs } = this.#times
    if (this.#failures > 0) {
      this.#atMost ??= setTimeout(this.#save, Math.min(atMostMs * 2 ** this.#failures, MAX_RETRY_MS))
      return
    }
    // Runs with each update: a new timer would cost several times as much.
    if (this.#idle) this.#idle.refresh()
    else this.#idle = setTimeout(this.#save, idleMs)
    this.#atMost ??= setTimeout(this.#save, atMostMs)
  }

  stop(): void {
    clearTimeout(this.#idle)
    clearTimeout(this.#atMost)
    this.#idle = this.#atMost = undefined
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(): void {
    this.stop()
    this.#failures += 1
    this.arm()
  }

  /** Nothing is saved until `release`. */
  hold(): void {
    this.#isHeld = true
    this.stop()
  }

  release(): void {
    this.#isHeld = false
  }
}
