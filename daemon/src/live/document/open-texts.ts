import { fail } from '@svc/shared/wire/errors.ts'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'

// A line is a string of its own and a place in a list. A character of most scripts takes one byte of it.
const LINE_COST = 50
const SHARE_OF_HEAP = 3

/** The size of an open text: about the bytes of memory that it takes. */
export const openTextSize = ({ characters, lines }: { characters: number; lines: number }): number =>
  characters + LINE_COST * lines

/** The most that open texts may take in a heap of so many bytes: everything else needs room too. */
export const openTextLimit = (heapBytes: number): number =>
  Math.min(liveLimits.maxOpenText, Math.floor(heapBytes / SHARE_OF_HEAP))

type OpenNotes = {
  /** The size of the texts of a vault's open notes. */
  size(): number
  /** Closes a note that nobody uses; returns its size, or undefined if all are used. */
  closeIdle(): number | undefined
}

/** The texts of all open notes of the daemon. */
export class OpenTexts {
  readonly #limit: number
  readonly #vaults = new Set<OpenNotes>()
  /** The size of the texts that are about to be opened. */
  #reserved = 0

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
    const vaults = [...this.#vaults]
    let open = vaults.reduce((sum, vault) => sum + vault.size(), this.#reserved)
    while (open > 0 && open + size > this.#limit) {
      const freed = firstOf(vaults, (vault) => vault.closeIdle())
      if (freed === undefined) throw fail('too_many_requests', { maxOpenText: this.#limit })
      open -= freed
    }
    this.#reserved += size
    return () => (this.#reserved -= size)
  }
}

function firstOf<T, R>(list: readonly T[], of: (one: T) => R | undefined): R | undefined {
  for (const one of list) {
    const result = of(one)
    if (result !== undefined) return result
  }
  return undefined
}
