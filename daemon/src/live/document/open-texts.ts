import { fail } from '@svc/shared/wire/errors.ts'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'

// A line is a string of its own and a place in a list. A character of most scripts takes one byte of it.
const LINE_COST = 50
const SHARE_OF_HEAP = 3
// What open texts may grow by until all of them are counted again, as a part of the limit.
const UNCOUNTED = 1 / 100

/** The size of an open text: about the bytes of memory that it takes. */
export const openTextSize = ({ characters, lines }: { characters: number; lines: number }): number =>
  characters + LINE_COST * lines

/** The most that open texts may take in a heap of so many bytes: everything else needs room too. */
export const openTextLimit = (heapBytes: number): number =>
  Math.min(liveLimits.maxOpenText, Math.floor(heapBytes / SHARE_OF_HEAP))

type OpenNotes = {
  /** The size of the texts of a vault's open notes, with their latest updates. */
  size(): number
  /** Forgets most of these updates; returns the size that this frees. */
  forgetUpdates(): number
  /** Closes a note that nobody uses; returns its size, or undefined if all are used. */
  closeIdle(): number | undefined
}

/** The texts of all open notes of the daemon. */
export class OpenTexts {
  readonly #limit: number
  readonly #vaults = new Set<OpenNotes>()
  /** The size of the texts that are about to be opened. */
  #reserved = 0
  /** What open texts have grown by since all were counted. */
  #grown = 0

  constructor(limit: number = liveLimits.maxOpenText) {
    this.#limit = limit
  }

  add(vault: OpenNotes): void {
    this.#vaults.add(vault)
  }

  delete(vault: OpenNotes): void {
    this.#vaults.delete(vault)
  }

  /**
   * Makes room for a text by closing notes that nobody uses; returns a function to call when the note is open. Fails
   * with `too_many_requests` if there is no room. The first note is opened whatever its size.
   */
  reserve(size: number): () => void {
    this.#makeRoom({ from: 0, to: size })
    this.#reserved += size
    return () => (this.#reserved -= size)
  }

  /**
   * Makes room for an open text that grows, as `reserve` does. Counts the others only now and then: for each letter that
   * would take long where many notes are open.
   */
  grow({ from, to }: { from: number; to: number }): void {
    if (to <= from) return
    if (this.#grown + to - from > this.#limit * UNCOUNTED) {
      this.#makeRoom({ from, to })
      this.#grown = 0
    }
    this.#grown += to - from
  }

  /** Makes room beside the others for a text that takes `from` already and will take `to`. */
  #makeRoom({ from, to }: { from: number; to: number }): void {
    const vaults = [...this.#vaults]
    let others = vaults.reduce((sum, vault) => sum + vault.size(), this.#reserved - from)
    while (others > 0 && others + to > this.#limit) {
      const freed =
        firstOf(vaults, (vault) => vault.closeIdle()) ?? firstOf(vaults, (vault) => vault.forgetUpdates() || undefined)
      if (freed === undefined) throw fail('too_many_requests', { maxOpenText: this.#limit })
      others -= freed
    }
  }
}

function firstOf<T, R>(list: readonly T[], of: (one: T) => R | undefined): R | undefined {
  for (const one of list) {
    const result = of(one)
    if (result !== undefined) return result
  }
  return undefined
}
