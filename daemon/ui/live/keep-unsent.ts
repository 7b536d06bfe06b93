import type { LinkState } from './link-state.ts'
import type { Unsent } from './live-text.ts'
import type { Timers } from './timers.ts'

const KEEP_EVERY_MS = 250
// Storing a text of this length would delay typing, so it is stored less often.
const LARGE = 500_000
const KEEP_LARGE_EVERY_MS = 2000

type Deps = {
  timers: Timers
  state: Pick<LinkState, 'text' | 'view' | 'hasUnsent'>
  /** Whether the browser already holds a copy of unsent changes of this note. */
  isStored: boolean
  /** Stores the unsent changes, or deletes them when given undefined. Resolves to whether that succeeded. */
  keep(unsent: Unsent | undefined): Promise<boolean>
  kept(couldKeep: boolean): void
}

/** Keeps a copy of the unsent changes of one note in the browser, shortly after each change. */
export function keepUnsent({ timers, state, isStored, keep, kept }: Deps) {
  /** Counts changes; `storedAt` is the count at which the stored copy was made. */
  let changes = 0
  let storedAt = 0
  let hasCopy = isStored

  function unsent(): Unsent | undefined {
    const { text, view } = state
    return text && state.hasUnsent() ? { ...text.unsent(), ...(view.clash ? { clash: view.clash } : {}) } : undefined
  }

  /** Stores the unsent changes now: the page may be about to close. */
  async function keepNow(): Promise<void> {
    timers.cancel('keep')
    if (!state.hasUnsent() && !hasCopy) return void (storedAt = changes)
    const at = changes
    const copy = unsent()
    hasCopy = copy !== undefined
    const couldKeep = await keep(copy)
    if (couldKeep) storedAt = Math.max(storedAt, at)
    kept(couldKeep)
  }

  return {
    keepNow,
    /** Called after a change: stores it soon. A copy that is no longer needed is removed at once. */
    changed(): void {
      changes += 1
      if (!state.hasUnsent()) return void keepNow()
      const isLarge = state.text!.text.length > LARGE
      timers.later('keep', isLarge ? KEEP_LARGE_EVERY_MS : KEEP_EVERY_MS, () => void keepNow())
    },
    /** Whether everything unsent is stored in this browser. */
    isKept: () => !state.hasUnsent() || storedAt === changes,
  }
}
