import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findCondition, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import { verifies } from '../requirements.ts'
import { faultProxy, type Fault } from '../support/fault-proxy.ts'
import { startCluster, type TestCluster } from '../support/kubernetes.ts'
import { operatorHarness, type Harness } from '../support/operator-harness.ts'
import { until } from '../support/until.ts'

let cluster: TestCluster
let count = 0
beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())

const settled = ({ status, generation }: ManagedDaemon) =>
  status.observedState === 'running' &&
  status.observedGeneration === generation &&
  findCondition(status, 'Progressing')?.status === 'False'

/** Provision, roll with another key, sleep, grow, wake, delete: every run must complete all of this. */
async function journey(world: Harness): Promise<void> {
  const { name } = await world.create({ image: await world.image({ version: '1' }), deletionPolicy: 'delete' })
  const reaches = (what: string, holds: (daemon: ManagedDaemon) => boolean) => world.reaches(name, what, holds)
  await reaches('running', settled)
  const image = await world.image({ version: '2' })
  await world.patch(name, {
    image,
    relay: { keyGeneration: 2 },
    operation: { id: 'roll-0001', action: 'image_roll', epoch: 1 },
  })
  await reaches('rolled', (daemon) => settled(daemon) && daemon.status.operation?.outcome === 'succeeded')
  await world.patch(name, { desiredState: 'sleeping', storage: { size: '128Mi' } })
  await reaches('asleep', ({ status }) => status.observedState === 'sleeping')
  await world.patch(name, { desiredState: 'running' })
  await reaches('awake', (daemon) => settled(daemon) && daemon.status.storage?.capacityBytes === 128 * 2 ** 20)

  const told = (await world.told(name)).filter((line) => !line.startsWith('flush'))
  expect(told).toEqual(['start 1', 'stop 1', 'start 2', 'stop 2', 'start 2'])
  const { status } = await world.read(name)
  expect(status).toMatchObject({ image, lastGoodImage: image, relay: { keys: [{ generation: 2 }] } })

  await world.store.remove(name)
  await until('the resource is gone', async () => (await world.store.find(name)) === undefined)
}

// High enough that each run meets dozens of faults, low enough that it ends.
const often = {
  delay: 0.2,
  '409': 0.1,
  '429': 0.04,
  '500': 0.1,
  'dropped request': 0.06,
  'dropped answer': 0.06,
} as const
const storms: [string, Partial<Record<Fault, number>>][] = [
  ['conflicts and errors', { '409': 0.2, '500': 0.06 }],
  ['too many requests and delays', { '429': 0.04, delay: 0.3 }],
  ['requests and answers that are lost', { 'dropped request': 0.06, 'dropped answer': 0.06 }],
  ['watches that lose events and break', { 'lost event': 0.25, 'cut watch': 0.1, delay: 0.1 }],
  ['all of it', { ...often, 'lost event': 0.15, 'cut watch': 0.05 }],
]

/**
 * Draws faults with the given probabilities. A fault that has not occurred after twice its expected interval is forced,
 * so that every kind occurs.
 */
function drawing(odds: Partial<Record<Fault, number>>) {
  const chances = new Map<Fault, number>()
  const struck = new Set<Fault>()
  return (possible: ReadonlySet<Fault>): Fault | undefined => {
    const entries = (Object.entries(odds) as [Fault, number][]).filter(([fault]) => possible.has(fault))
    for (const [fault] of entries) chances.set(fault, (chances.get(fault) ?? 0) + 1)
    const overdue = entries.find(([fault, share]) => !struck.has(fault) && (chances.get(fault) ?? 0) * share > 2)
    const [fault] = overdue ?? entries.find(([, share]) => Math.random() < share) ?? []
    if (fault !== undefined) struck.add(fault)
    return fault
  }
}

const ofWatches = new Set<Fault>(['lost event', 'cut watch', 'delay'])
const ofRequests = new Set(Object.keys(often) as Fault[])

describe('the operator', () => {
  it.each(storms)('gets there through %s, with no extra restart', async (_what, odds) => {
    const namespace = `faults-${count++}`
    const world = await operatorHarness({ cluster, namespace })
    const draw = drawing(odds)
    const proxy = await faultProxy({
      config: loadKubeConfig(cluster.kubeconfig),
      folder: world.folder,
      strike: ({ watching, path }) => (path.includes('/leases/') ? undefined : draw(watching ? ofWatches : ofRequests)),
    })
    try {
      world.start(
        {},
        {
          kubeConfig: loadKubeConfig(proxy.kubeconfig),
          watchTiming: { relistMs: 1_500, graceMs: 200, silenceMs: 5_000 },
        },
      )
      await journey(world)
      expect([...proxy.counts.keys()].toSorted()).toEqual(Object.keys(odds).toSorted())
    } finally {
      await world.stop()
      proxy.close()
    }
  })

  it('is killed after each single write and still gets there, with no extra restart', async () => {
    verifies('operator.upgrade-no-restart')
    const world = await operatorHarness({ cluster, namespace: `faults-${count++}` })
    let deaths = 0
    let over = false
    const live = async () => {
      while (!over) {
        const died = Promise.withResolvers<void>()
        const stop = world.startDoomed(() => {
          deaths++
          died.resolve()
        })
        await Promise.race([died.promise, until('the end', () => over, { withinMs: 300_000 })])
        await stop()
      }
    }
    const living = live()
    try {
      await journey(world)
      expect(deaths).toBeGreaterThan(20)
    } finally {
      over = true
      await living
      await world.stop()
    }
  })
})
