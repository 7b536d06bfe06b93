import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Receipt } from './log-record.ts'

const MAX_RECEIPTS = 20_000
const KEPT_MS = 30 * 24 * 3600 * 1000

/**
 * The last update of each client that is in the text. A client whose connection broke learns from it which updates it
 * must not send again, even after a restart or days later.
 */
export class Receipts {
  readonly #clock: Pick<Clock, 'now'>
  readonly #receipts = new Map<string, Receipt>()

  constructor(clock: Pick<Clock, 'now'>, receipts: readonly Receipt[] = []) {
    this.#clock = clock
    for (const receipt of receipts) this.#receipts.set(receipt.client, receipt)
  }

  accepted(client: string): number {
    return this.#receipts.get(client)?.seq ?? 0
  }

  set(client: string, seq: number): void {
    this.#receipts.delete(client)
    if (seq > 0) this.#receipts.set(client, { client, seq, at: this.#clock.now().getTime() })
    if (this.#receipts.size > MAX_RECEIPTS) this.#receipts.delete(this.#receipts.keys().next().value!)
  }

  forget(client: string): void {
    this.#receipts.delete(client)
  }

  /** All receipts that are still worth keeping, the oldest first. */
  list(): Receipt[] {
    const oldest = this.#clock.now().getTime() - KEPT_MS
    for (const { client, at } of this.#receipts.values()) if (at < oldest) this.#receipts.delete(client)
    return [...this.#receipts.values()]
  }
}
