/** A wait is looked at again after this part of its age, so that nothing is noticed much later than it took to come. */
const PART = 10

type Wait = { what: string; since: number }

/** For how long each daemon has waited for the same. */
export function createWaitAges(monotonic: () => number) {
  const waits = new Map<string, Wait>()

  return {
    /**
     * How long to pause before the next look at a daemon: `pauseMs`, and longer up to `longestMs` the longer it has waited
     * for the same. A daemon that waits for nothing (`what` is undefined) pauses for `pauseMs`.
     */
    pauseOf(name: string, what: string | undefined, { pauseMs, longestMs }: { pauseMs: number; longestMs: number }) {
      if (what === undefined) {
        waits.delete(name)
        return pauseMs
      }
      const now = monotonic()
      const known = waits.get(name)
      const wait = known?.what === what ? known : { what, since: now }
      waits.set(name, wait)
      return Math.max(pauseMs, Math.min((now - wait.since) / PART, longestMs))
    },
    forget: (name: string): void => void waits.delete(name),
  }
}
