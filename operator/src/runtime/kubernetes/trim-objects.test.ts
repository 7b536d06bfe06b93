import { expect, test } from 'vitest'
import { podMachine, type Pod } from '../../managed-daemon/pod-machine.ts'
import { trimPod } from './trim-objects.ts'

test('a pod that is kept in memory says the same of its machine as the whole pod', () => {
  const now = new Date('2026-11-21T10:00:00.000Z')
  const pod = {
    metadata: { name: 'org-a-0', creationTimestamp: '2026-11-21T09:50:00Z', annotations: { other: 'x' } },
    spec: { containers: [{ name: 'svcd', image: 'image' }], nodeName: 'node' },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: [
        { type: 'Initialized', status: 'True', lastTransitionTime: '2026-11-21T09:50:01Z' },
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T09:59:50Z' },
      ],
      containerStatuses: [
        { name: 'svcd', restartCount: 0, ready: true, state: { running: { startedAt: '2026-11-21T09:51:00Z' } } },
      ],
    },
  } as Pod
  const machine = podMachine(trimPod(pod), now)
  expect(machine).toEqual(podMachine(pod, now))
  // The soak of an image counts from here, and the start of the container was long before.
  expect(machine.readySince).toEqual(new Date('2026-11-21T09:59:50.999Z'))
})
