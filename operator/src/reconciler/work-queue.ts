/** `high`: somebody requested something or a machine changed; `low`: listing and resync, which can wait. */
export type Priority = 'high' | 'low'

type Entry = { priority: Priority; addedAt: number }

/** A queue of keys. A key waits only once however often it is added, and is never given to two workers at a time. */
export class WorkQueue {
  readonly #waiting: Record<Priority, Map<string, Entry>> = { high: new Map(), low: new Map() }
  readonly #running = new Set<string>()
  readonly #again = new Map<string, Entry>()
  readonly #takers: (() => void)[] = []
  readonly #monotonic: () => number
  #closed = false

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  get depth(): number {
    return this.#waiting.high.size + this.#waiting.low.size + this.#again.size
  }

  add(key: string, priority: Priority): void {
    if (this.#closed) return
    const entry = { priority, addedAt: this.#monotonic() }
    if (this.#running.has(key)) {
      if (this.#again.get(key)?.priority !== 'high') this.#again.set(key, entry)
      return
    }
    if (this.#waiting.high.has(key)) return
    if (priority === 'high') this.#waiting.low.delete(key)
    if (!this.#waiting[priority].has(key)) this.#waiting[priority].set(key, entry)
    this.#takers.shift()?.()
  }

  /**
   * The next key, high ones first, with how long it waited; undefined once the queue is closed. Call `done` afterwards.
   */
  async take(): Promise<{ key: string; waitedMs: number } | undefined> {
    for (;;) {
      if (this.#closed) return undefined
      const line = this.#waiting.high.size > 0 ? this.#waiting.high : this.#waiting.low
      for (const [key, { addedAt }] of line) {
        line.delete(key)
        this.#running.add(key)
        return { key, waitedMs: this.#monotonic() - addedAt }
      }
      await new Promise<void>((resolve) => this.#takers.push(resolve))
    }
  }

  /** A worker has finished with the key; if it was added meanwhile, it waits again now. */
  done(key: string): void {
    this.#running.delete(key)
    const again = this.#again.get(key)
    this.#again.delete(key)
    if (again) this.add(key, again.priority)
  }

  close(): void {
    this.#closed = true
    for (const wake of this.#takers.splice(0)) wake()
  }
}
