import type { ChangedNotes } from './recent/changed-notes.ts'

export type PaceTiming = { quietMs: number; retryMs: number }

type Changed = Pick<ChangedNotes, 'count' | 'isFull' | 'hasMissing' | 'hasCut'>

// After a build, pause for this many times its duration: constant changes then leave most of a core to others.
const PAUSES = 4
// A very large note may be written all the time, and only its end waits for the build.
const PAUSES_FOR_ENDS = 60

/** Decides when a segment is built for which no caller waits. Times are those of the monotonic clock. */
export function createBuildPace({ quietMs, retryMs }: PaceTiming) {
  let notBefore = 0
  let notForEndsBefore = 0
  return {
    /** `least`: so many changed notes are worth a build. */
    isDue(now: number, { changed, lastChange, least }: { changed: Changed; lastChange: number; least: number }) {
      if (now < notBefore) return false
      const isQuiet = now - lastChange > quietMs && changed.count() >= least
      if (isQuiet || changed.isFull() || changed.hasMissing()) return true
      return changed.hasCut() && now >= notForEndsBefore
    },
    /** If the build fails, the next one waits for longer. */
    began(now: number): void {
      notBefore = now + retryMs
    },
    ended(now: number, since: number): void {
      notBefore = now + Math.min(retryMs, PAUSES * (now - since))
      notForEndsBefore = now + PAUSES_FOR_ENDS * (now - since)
    },
  }
}
