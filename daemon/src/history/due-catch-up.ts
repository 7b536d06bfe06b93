import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Change } from './pending-commits.ts'

/** When to compare the notes with the history, to find changes that nobody recorded. */
export type DueCatchUp = {
  isDue(): boolean
  /** True if no comparison is due, now or later. */
  isDone(): boolean
  /** True when the notes were compared since the last request, except for those that cannot be read. */
  hasCompared(): boolean
  /** True for a new history, until a comparison is complete: differences are then notes that were found. */
  isFirst(): boolean
  /** Requests a comparison as soon as possible. */
  ask(): void
  /** A new history begins. */
  beginAnew(): void
  /** Records that a change was left out: a comparison in progress may have missed it. */
  leaveOut(change: { path: string; kind: Change['kind'] }): void
  /**
   * Runs a comparison, with the notes that were seen to be deleted. A comparison that returns false was incomplete, and
   * is due again after a while.
   */
  run(compare: (seenGone: ReadonlySet<string>) => Promise<boolean>): Promise<void>
}

type Options = { clock: Pick<Clock, 'monotonic'>; pauseMs: number; isNew: boolean }

/** Initially, no comparison is due. */
export function createDueCatchUp({ clock, pauseMs, isNew }: Options): DueCatchUp {
  let isFirst = isNew
  let isDone = true
  let hasCompared = false
  let notBefore = Number.NEGATIVE_INFINITY
  // Requests and changes left out since the last comparison began. It may have missed them.
  let since = 0
  const seenGone = new Set<string>()

  function ask(): void {
    since++
    hasCompared = false
    isDone = false
    notBefore = Number.NEGATIVE_INFINITY
  }

  return {
    isDue: () => !isDone && clock.monotonic() >= notBefore,
    isDone: () => isDone,
    hasCompared: () => hasCompared,
    isFirst: () => isFirst,
    ask,
    beginAnew() {
      isFirst = true
      ask()
    },
    leaveOut({ path, kind }) {
      if (kind === 'deleted') seenGone.add(path)
      hasCompared = false
      if (isDone) ask()
      else since++
    },
    async run(compare) {
      notBefore = clock.monotonic() + pauseMs
      since = 0
      const isComplete = await compare(seenGone)
      hasCompared = since === 0
      if (isComplete) isFirst = false
      isDone = isComplete && since === 0
      if (isDone) seenGone.clear()
    },
  }
}
