import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Children } from '../../managed-daemon/observed.ts'

type Workload = NonNullable<Children['workload']>
type Absence = { image: string; since: Date }

/**
 * Since when each StatefulSet that should have a pod has none. A quota or an admission policy may refuse the pod, and
 * only the events of the StatefulSet say so. Kept in memory: after a restart of the operator the time begins anew.
 */
export function createPodAbsences({ clock, namespace }: { clock: Clock; namespace: string }) {
  const absences = new Map<string, Absence>()

  return {
    /** Notes what was seen of a daemon; returns its workload with the absence of its pod, if any. */
    note(daemonName: string, workload: Workload | undefined, pod: 'present' | 'absent'): Workload | undefined {
      if (!workload?.running || pod === 'present') {
        absences.delete(daemonName)
        return workload
      }
      const known = absences.get(daemonName)
      // Each image has all the time of a start, and so has each template.
      const isKnown = known?.image === workload.image && !workload.outdated
      const absence = isKnown ? known : { image: workload.image, since: clock.now() }
      absences.set(daemonName, absence)

      const { since } = absence
      const command = `kubectl -n ${namespace} describe statefulset ${workload.name}`
      return { ...workload, noMachine: { since, message: `No pod since ${since.toISOString()}: ${command} says why.` } }
    },
  }
}
