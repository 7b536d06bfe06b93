import type { Clock } from '@svc/shared/kit/clock.ts'
import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import type { Pod } from '../../managed-daemon/pod-machine.ts'

type Silence = { version: string; pauseMs: number; until: number }

/** A query that fails sooner was refused at once: it costs nothing, as with a daemon that is about to listen. */
const SLOW_MS = 1_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/**
 * Queries the status of pods, and pauses for those that let a query run out of time, each time for twice as long: the
 * pods of one dead node would otherwise occupy all workers. Another version of the pod, for example one that has become
 * ready, is queried at once.
 */
export function createSilentPods({ clock }: { clock: Pick<Clock, 'monotonic'> }) {
  const silences = new Map<string, Silence>()

  return {
    /** What the daemon of the pod reports; undefined without a query while it is paused. */
    async ask({ metadata }: Pod, query: () => Promise<DaemonStatus | undefined>): Promise<DaemonStatus | undefined> {
      const { name, uid, resourceVersion } = metadata
      const version = `${uid} ${resourceVersion}`
      const known = silences.get(name)
      const before = known?.version === version ? known : undefined
      const startedAt = clock.monotonic()
      if (before !== undefined && startedAt < before.until) return undefined

      const answer = await query()
      const now = clock.monotonic()
      if (answer !== undefined || now - startedAt < SLOW_MS) silences.delete(name)
      else {
        const pauseMs = before === undefined ? FIRST_PAUSE_MS : Math.min(before.pauseMs * 2, LONGEST_PAUSE_MS)
        silences.set(name, { version, pauseMs, until: now + pauseMs })
      }
      return answer
    },
    /** Called when there is no such pod any more. */
    forget: (name: string): void => void silences.delete(name),
  }
}
