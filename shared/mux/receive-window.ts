import type { Pace } from './pace.ts'

/** Bytes by which the windows of one tunnel may grow together beyond their initial size. */
export type GrowthBudget = { left: number }

/** Growth factor. A distant reader reaches the window that it needs within a few round trips. */
const GROWTH = 4

type ReceiveWindowOptions = { initial: number; budget: GrowthBudget }

/**
 * Credit that this side has granted for one stream. It starts small, so that many stalled readers cost little memory. It
 * grows fourfold when the reader empties it within a round trip, because then the window limits the stream, not the
 * reader.
 */
export class ReceiveWindow {
  readonly #budget: GrowthBudget
  #size: number
  #credit: number
  #unreported = 0
  #grown = 0
  #grantedAt = 0

  constructor({ initial, budget }: ReceiveWindowOptions) {
    this.#size = initial
    this.#credit = initial
    this.#budget = budget
  }

  /** The most bytes that may be in flight or unread at a time. */
  get size(): number {
    return this.#size
  }

  /** Counts arrived bytes; false when the peer sent more than it was allowed to. */
  accept(bytes: number): boolean {
    this.#credit -= bytes
    return this.#credit >= 0
  }

  /** Counts bytes that were read and returns the credit to grant now, 0 while it is not worth a frame. */
  consume(bytes: number, pace: () => Pace): number {
    this.#unreported += bytes
    if (this.#unreported * 2 < this.#size) return 0

    const { now, roundTripMs, maxBytes } = pace()
    const growth = now - this.#grantedAt <= roundTripMs ? this.#grow(maxBytes) : 0
    const grant = this.#unreported + growth
    this.#grantedAt = now
    this.#unreported = 0
    this.#credit += grant
    return grant
  }

  /** Returns the growth of the window to the budget of the tunnel. */
  release(): void {
    this.#budget.left += this.#grown
    this.#grown = 0
  }

  #grow(maxBytes: number): number {
    const growth = Math.max(0, Math.min((GROWTH - 1) * this.#size, maxBytes - this.#size, this.#budget.left))
    this.#size += growth
    this.#grown += growth
    this.#budget.left -= growth
    return growth
  }
}
