/**
 * Decides the order in which the steps of several processes happen: each step waits at a point, and one point at a time
 * is released, chosen by a seed. The same seed gives the same order.
 */
export class Interleaving {
  readonly #waiting: (() => void)[] = []
  #seed: number

  constructor(seed: number) {
    this.#seed = seed | 0
  }

  /** A number in [0, bound), from the seed. */
  choose(bound: number): number {
    // mulberry32
    this.#seed = (this.#seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }

  /** Waits until it is the turn of the calling step. */
  point(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Releases one step after another until the promise settles or no step waits. */
  async drive(until: Promise<unknown>): Promise<void> {
    let over = false
    const mark = () => (over = true)
    until.then(mark, mark)
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve)) // everything that can continue without a turn has done so
      if (over || this.#waiting.length === 0) return
      const [next] = this.#waiting.splice(this.choose(this.#waiting.length), 1)
      next?.()
    }
  }
}
