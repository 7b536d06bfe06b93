import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Actor } from '../../entry/actor.ts'
import type { Receipt } from './log-record.ts'

const MAX_RECEIPTS = 20_000
const MAX_OWNERS = 20_000
const KEPT_MS = 30 * 24 * 3600 * 1000

/** The owner of the clients that an actor uses: the id of a person. All other actors of one kind are one owner. */
export const ownerOf = (actor: Actor): string => (actor.kind === 'person' ? actor.id : actor.kind)

/**
 * The last update of each client that is in the text. A client whose connection broke learns from it which updates it
 * must not send again, even after a restart or days later.
 */
export class Receipts {
  readonly #clock: Pick<Clock, 'now'>
  readonly #receipts = new Map<string, Receipt>()
  /** The owner of each client: its id is known to all in the session, and nobody else may use it. */
  readonly #owners = new Map<string, string>()

  constructor(clock: Pick<Clock, 'now'>, receipts: readonly Receipt[] = []) {
    this.#clock = clock
    for (const receipt of receipts) {
      this.#receipts.set(receipt.client, receipt)
      if (receipt.owner !== undefined) this.#owners.set(receipt.client, receipt.owner)
    }
  }

  /** Binds a client to the actor who uses it. Returns false if it is the client of another one. */
  claim(client: string, actor: Actor): boolean {
    const owner = this.#owners.get(client) ?? ownerOf(actor)
    if (owner !== ownerOf(actor)) return false
    this.#owners.delete(client)
    this.#owners.set(client, owner)
    if (this.#owners.size > MAX_OWNERS) this.#owners.delete(this.#owners.keys().next().value!)
    return true
  }

  accepted(client: string): number {
    return this.#receipts.get(client)?.seq ?? 0
  }

  set(client: string, seq: number): void {
    this.#receipts.delete(client)
    const at = this.#clock.now().getTime()
    if (seq > 0) this.#receipts.set(client, { client, seq, at, owner: this.#owners.get(client) })
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
