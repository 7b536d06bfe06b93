/** Where something may have changed: single names in folders, or whole folders. */
export type Hints = ReadonlyMap<string, ReadonlySet<string> | 'all'>

type Options = {
  /** Runs once, after some milliseconds. */
  later(ms: number, run: () => Promise<unknown>): unknown
  hintMs: number
  /** Called with the collected hints; `isBurst` after so many events that others may have been lost. */
  look(hints: Hints, isBurst: boolean): Promise<unknown>
}

// After this many events at once, the system may have dropped others silently.
const BURST_EVENTS = 4000
// Looking at more names takes as long as listing an ordinary folder.
const MOST_NAMES = 64

/** Collects hints for a moment, because most changes cause several. A hint without a name is about the whole folder. */
export function createFolderHints({ later, hintMs, look }: Options): (folder: string, name?: string | null) => void {
  let hints = new Map<string, Set<string> | 'all'>()
  let events = 0

  return (folder, name = null) => {
    events++
    if (hints.size === 0)
      later(hintMs, () => {
        const [collected, isBurst] = [hints, events > BURST_EVENTS]
        hints = new Map()
        events = 0
        return look(collected, isBurst)
      })
    const names = hints.get(folder) ?? new Set()
    if (names === 'all') return
    if (name !== null) names.add(name)
    hints.set(folder, name === null || names.size > MOST_NAMES ? 'all' : names)
  }
}
