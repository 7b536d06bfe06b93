import { afterEach, expect, it } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { KubeError } from '@svc/kube/src/kube-error.ts'
import { verifies } from '../../../../test/requirements.ts'
import { childSettings } from '../../../../test/support/child-settings.ts'
import { someDaemon } from '../../../../test/support/managed-daemon-specs.ts'
import { statefulSet } from '../../managed-daemon/children.ts'
import type { Pod } from '../../managed-daemon/pod-machine.ts'
import { createChildObjects, type ChildObjects } from './child-objects.ts'
import { createKubernetesSteps } from './kubernetes-steps.ts'
import { createRelaySecrets } from './relay-secret.ts'
import type { ChildObject } from './trim-objects.ts'

const daemon = someDaemon()
const namespace = 'daemons'
const workload = {
  ...statefulSet(daemon, daemon.spec.image, childSettings),
  status: { observedGeneration: 1, updateRevision: 'new' },
} as ChildObject

/** A pod from an earlier template; it is stuck unless it is scheduled. */
const pod = (resourceVersion: string, { scheduled = 'False', uid = 'first' } = {}): Pod => ({
  metadata: { name: `${daemon.name}-0`, uid, resourceVersion, labels: { 'controller-revision-hash': 'old' } },
  spec: { containers: [] },
  status: { conditions: [{ type: 'PodScheduled', status: scheduled }] },
})

let objects: ChildObjects | undefined
afterEach(() => objects?.stop())

/** Renews the workload a few times while the watch lags: it has listed one pod, and the API has another or none. */
async function renewed(listed: Pod, present: Pod | undefined) {
  const told: string[] = []
  const absent = new KubeError({ status: 404, reason: 'NotFound', message: '' })
  const client = {
    request: async ({ method, path, body }: Parameters<KubeClient['request']>[0]) => {
      if (path.endsWith('/pods')) return { metadata: { resourceVersion: '9' }, items: [listed] }
      if (path.endsWith('/statefulsets')) return { metadata: { resourceVersion: '9' }, items: [workload] }
      if (!path.includes('/pods/')) return { metadata: { resourceVersion: '9' }, items: [] }
      if (method === 'DELETE') {
        const { uid, resourceVersion } = (body as { preconditions: Pod['metadata'] }).preconditions
        told.push(`DELETE ${uid} ${resourceVersion}`)
        const { metadata } = present ?? {}
        if (metadata?.uid !== uid || metadata?.resourceVersion !== resourceVersion)
          throw new KubeError({ status: 409, reason: 'Conflict', message: '' })
        present = undefined
        return { kind: 'Status' }
      }
      if (present === undefined) throw absent
      return present
    },
    follow: async ({ signal }: Parameters<KubeClient['follow']>[0]) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true })),
  } as KubeClient
  const log = createLog({ service: 'test', level: 'silent' })
  const children = createChildObjects({ client, clock: systemClock, log, random: () => 0.5, namespace })
  objects = children
  children.start()
  await expect.poll(() => children.hasSynced(), { timeout: 10_000 }).toBe(true)
  const secrets = createRelaySecrets({ client, namespace })
  const flush = async () => {}
  const execute = createKubernetesSteps({
    client,
    clock: systemClock,
    namespace,
    settings: childSettings,
    objects,
    secrets,
    flush,
  })
  for (let pass = 0; pass < 4; pass++)
    await execute(daemon, { kind: 'renew_workload', image: daemon.spec.image, reason: 'Renewing' })
  return told
}

it.each([
  ['starts by now', pod('2', { scheduled: 'True' }), ['DELETE first 1']],
  ['is still stuck', pod('2'), ['DELETE first 1', 'DELETE first 2']],
  ['has a successor that starts', pod('2', { scheduled: 'True', uid: 'second' }), ['DELETE first 1']],
  ['has a successor that is stuck', pod('2', { uid: 'second' }), ['DELETE first 1', 'DELETE second 2']],
])('while the watch lags, a pod that %s is read again before another deletion', async (_what, present, deletions) => {
  verifies('operator.template-corrected')
  expect(await renewed(pod('1'), present)).toEqual(deletions)
})
