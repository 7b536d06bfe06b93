import type { LiveUpdate } from './live-update.ts'
import { insertedBy, isTooLargeToSend, sectionsOf } from './changes-size.ts'

// A client that is further behind gets the whole text: rebasing over more costs more than sending it.
const MAX_UPDATES = 1000
const MAX_BYTES = 2 * 1024 * 1024
const USUAL = { updates: MAX_UPDATES, bytes: MAX_BYTES }
// Enough for the pushes that are on their way.
const LEAST = { updates: 50, bytes: 64 * 1024 }
// Estimates: an update with its author, and a section with the text that it inserts.
const UPDATE_BYTES = 200
const SECTION_BYTES = 64

/** About how much memory an update takes. */
export const updateBytes = ({ changes }: LiveUpdate): number =>
  UPDATE_BYTES + SECTION_BYTES * sectionsOf(changes) + 2 * insertedBy(changes)

/** The latest updates of a text, by the version that each was made on. */
export class UpdateLog {
  #version: number
  #updates: LiveUpdate[] = []
  #sizes: number[] = []
  #bytes = 0

  constructor(version = 0) {
    this.#version = version
  }

  /** The version of the text after the updates so far. */
  get version(): number {
    return this.#version
  }

  /** About how much memory the updates take. */
  get bytes(): number {
    return this.#bytes
  }

  /** The updates after a version, or undefined when they are not kept any more. */
  since(version: number): readonly LiveUpdate[] | undefined {
    const start = this.#start
    return version < start || version > this.#version ? undefined : this.#updates.slice(version - start)
  }

  /**
   * Adds updates and forgets old ones, except those after the version `needed` and the newest one. A newest one that is
   * too large to send is forgotten as well.
   */
  add(updates: readonly LiveUpdate[], needed = Number.POSITIVE_INFINITY): void {
    for (const update of updates) {
      const bytes = updateBytes(update)
      this.#updates.push(update)
      this.#sizes.push(bytes)
      this.#bytes += bytes
    }
    this.#version += updates.length
    const newest = updates.at(-1)
    if (newest && needed > this.#version && isTooLargeToSend(newest.changes)) {
      this.#updates = []
      this.#sizes = []
      this.#bytes = 0
    }
    // Forgetting many at once costs less than one with each update.
    if (this.#updates.length > 2 * MAX_UPDATES || this.#bytes > 2 * MAX_BYTES) this.#forget(needed, USUAL)
  }

  /** Forgets more than usual, because memory is short; returns about how much this frees. */
  shrink(needed = Number.POSITIVE_INFINITY): number {
    const before = this.#bytes
    this.#forget(needed, LEAST)
    return before - this.#bytes
  }

  #forget(needed: number, most: { updates: number; bytes: number }): void {
    const kept = this.#updates.length
    const free = Math.min(kept - 1, needed - this.#start)
    let count = 0
    while (count < free && (kept - count > most.updates || this.#bytes > most.bytes))
      this.#bytes -= this.#sizes[count++]!
    this.#updates = this.#updates.slice(count)
    this.#sizes = this.#sizes.slice(count)
  }

  /** Takes back everything after a version. */
  rollBack(version: number): void {
    const kept = Math.max(0, version - this.#start)
    for (const bytes of this.#sizes.splice(kept)) this.#bytes -= bytes
    this.#updates = this.#updates.slice(0, kept)
    this.#version = version
  }

  /** The version that the oldest update was made on. */
  get #start(): number {
    return this.#version - this.#updates.length
  }
}
