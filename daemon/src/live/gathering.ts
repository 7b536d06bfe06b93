/** The weight of the newest interval in the average. */
const NEWEST = 1 / 8

/**
 * Decides how long each update of a session may wait for others, so that they share a sync of the log and a message.
 * They are sent when as many have arrived as usually arrive while the first may wait: no later one would arrive in
 * time. An update that arrives alone does not wait.
 */
export class Gathering {
  #cameAt = -Infinity
  #intervalMs = 0
  #count = 0
  #until = 0

  /**
   * The time in milliseconds that an update may wait that arrives at `now`; no update may wait longer than `longestMs`.
   */
  waitMs(now: number, longestMs: number): number {
    const interval = now - this.#cameAt
    this.#cameAt = now
    if (interval >= longestMs) return this.#goes()
    this.#intervalMs += (interval - this.#intervalMs) * NEWEST
    if (now >= this.#until) {
      this.#count = 0
      this.#until = now + longestMs
    }
    this.#count += 1
    if (this.#count * this.#intervalMs > longestMs) return this.#goes()
    return this.#until - now
  }

  #goes(): number {
    this.#until = 0
    return 0
  }
}
