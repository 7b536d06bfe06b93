import { fail } from '@svc/shared/wire/errors.ts'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'

type OpenNotes = {
  /** The size of the texts of a vault's open notes. */
  size(): number
  /** Closes a note that nobody uses; returns its size, or undefined if all are used. */
  closeIdle(): number | undefined
}

/**
 * The texts of all open notes of the daemon. The size of a text is its characters and lines together, because a short
 * line takes as much memory as several characters.
 */
export class OpenTexts {
  readonly #vaults = new Set<OpenNotes>()
  /** The size of the texts that are about to be opened. */
  #reserved = 0

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
    while (open > 0 && open + size > liveLimits.maxOpenText) {
      const freed = firstOf(vaults, (vault) => vault.closeIdle())
      if (freed === undefined) throw fail('too_many_requests', { maxOpenText: liveLimits.maxOpenText })
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
