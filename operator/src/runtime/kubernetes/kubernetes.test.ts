import { expect, it } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { KubeError } from '@svc/kube/src/kube-error.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { verifies } from '../../../../test/requirements.ts'
import { childSettings } from '../../../../test/support/child-settings.ts'
import { someDaemon } from '../../../../test/support/managed-daemon-specs.ts'
import { kubernetesRuntime } from './kubernetes.ts'

const NOW = new Date('2026-11-21T10:00:00.000Z')
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000).toISOString()

/** A runtime over an API with one running pod and its Secret; its node does not respond to queries. */
function onDeadNode(pod: { ready?: 'True' | 'False' | 'Unknown'; deletedSecondsAgo?: number }) {
  const daemon = someDaemon()
  let time = 0
  let queries = 0
  const metadata = {
    name: `${daemon.name}-0`,
    uid: 'u',
    resourceVersion: '1',
    ...(pod.deletedSecondsAgo !== undefined && { deletionTimestamp: ago(pod.deletedSecondsAgo) }),
  }
  const running = { name: 'svcd', restartCount: 0, ready: true, state: { running: { startedAt: ago(3_600) } } }
  const status = {
    podIP: '10.0.0.1',
    conditions: [{ type: 'Ready', status: pod.ready ?? 'True' }],
    containerStatuses: [running],
  }
  const client = {
    request: async ({ path }: { path: string }) => {
      if (path.includes('/pods/')) return { metadata, spec: { containers: [] }, status }
      if (path.includes('/secrets/')) return { metadata: {}, data: {} }
      throw new KubeError({ status: 404, reason: 'NotFound', message: '' })
    },
  } as unknown as KubeClient
  const runtime = kubernetesRuntime({
    client,
    clock: { now: () => NOW, monotonic: () => time, sleep: async () => {} },
    log: createLog({ service: 'test', level: 'fatal' }),
    random: () => 0.5,
    namespace: 'svc-daemons',
    settings: childSettings,
    statusClient: {
      status: async () => {
        queries += 1
        time += 2_000
        return undefined
      },
      flush: async () => {},
      close: async () => {},
    },
    checkImage: () => ({ state: 'allowed' }),
  })
  return {
    observe: () => runtime.observe(daemon),
    pass: (ms: number) => void (time += ms),
    queries: () => queries,
  }
}

it.each([
  ['whose node is gone', { ready: 'Unknown' }],
  ['that should have ended long ago', { deletedSecondsAgo: 120 }],
] as const)('does not query a pod %s', async (_what, pod) => {
  verifies('operator.dead-node-apart')
  const { observe, queries } = onDeadNode(pod)
  expect((await observe()).machine?.state).toBe('lost')
  expect(queries()).toBe(0)
})

it('pauses between queries of a pod that lets them run out of time', async () => {
  verifies('operator.dead-node-apart')
  const { observe, pass, queries } = onDeadNode({ ready: 'False' })
  for (let look = 0; look < 5; look += 1) expect((await observe()).machine?.daemon).toBeUndefined()
  expect(queries()).toBe(1)
  pass(1_000)
  await observe()
  await observe()
  expect(queries()).toBe(2)
})
