import type { Clock } from '@svc/shared/kit/clock.ts'

/** When the notes have to be compared with the history: for changes that nobody recorded. */
export type DueCatchUp = {
  isDue(): boolean
  /** Asks for a comparison as soon as can be. */
  ask(): void
  /** A change was not recorded: a comparison that is under way may have missed it. */
  leaveOut(change: { path: string; kind: 'created' | 'changed' | 'deleted' }): void
  /**
   * Compares, with the notes that were seen to be deleted; a comparison that answers false was not complete, and is
   * repeated after a while.
   */
  run(compare: (seenGone: ReadonlySet<string>) => Promise<boolean>): Promise<void>
}

/** No comparison is due before somebody asks. */
export function createDueCatchUp({ clock, pauseMs }: { clock: Pick<Clock, 'monotonic'>; pauseMs: number }): DueCatchUp {
  let isDone = true
  let notBefore = Number.NEGATIVE_INFINITY
  let leftOut = 0
  const seenGone = new Set<string>()

  function ask(): void {
    isDone = false
    notBefore = Number.NEGATIVE_INFINITY
  }

  return {
    isDue: () => !isDone && clock.monotonic() >= notBefore,
    ask,
    leaveOut({ path, kind }) {
      leftOut++
      if (kind === 'deleted') seenGone.add(path)
      if (isDone) ask()
    },
    async run(compare) {
      notBefore = clock.monotonic() + pauseMs
      leftOut = 0
      const isComplete = await compare(seenGone)
      isDone = isComplete && leftOut === 0
      if (isDone) seenGone.clear()
    },
  }
}
