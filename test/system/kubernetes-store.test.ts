import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { managedDaemonResource } from '../../control-plane/src/managed-daemons/managed-daemon-resource.ts'
import { managedDaemonKubeStore } from '@svc/kube/src/managed-daemon-kube-store.ts'
import { pathOf, kinds } from '@svc/kube/src/kinds.ts'
import { StoreRejection } from '@svc/shared/wire/managed-daemon-store.ts'
import { quietLog, startCluster, type TestCluster } from '../support/kubernetes.ts'
import { verifies } from '../requirements.ts'
import { someSpec } from '../support/managed-daemon-specs.ts'
import { storeConformance } from '../support/store-conformance.ts'

let cluster: TestCluster

const open = (namespace: string) =>
  managedDaemonKubeStore({
    client: cluster.client(),
    clock: systemClock,
    log: quietLog,
    random: Math.random,
    namespace,
    fieldManager: 'svc-operator',
  })

beforeAll(async () => {
  cluster = await startCluster({ controllers: false })
  await cluster.namespace('operator-store')
})
afterAll(() => cluster.stop())

describe("the operator's store over Kubernetes", () => {
  storeConformance(async () => ({ store: open('operator-store') }))

  it('is refused by the API under a name that is not its own', async () => {
    verifies('operator.stores-conform')
    const spec = someSpec()
    const body = {
      apiVersion: kinds.managedDaemon.apiVersion,
      kind: 'ManagedDaemon',
      metadata: { name: 'org-mine' },
      spec,
    }
    const path = pathOf(kinds.managedDaemon, 'operator-store')
    await expect(cluster.client().request({ method: 'POST', path, body })).rejects.toThrow('the name is org-<body')
  })

  it('reuses its connections', async () => {
    const client = cluster.client()
    const store = managedDaemonKubeStore({
      client,
      clock: systemClock,
      log: quietLog,
      random: Math.random,
      namespace: 'operator-store',
      fieldManager: 'svc-operator',
    })
    const before = await connections(cluster.server)
    for (let i = 0; i < 50; i++) await store.find('org-zzzzzzzzzzzzzzzzzzzzzzzz')
    expect((await connections(cluster.server)) - before).toBeLessThanOrEqual(2)
  })

  it('says why a resource was refused', async () => {
    const store = open('operator-store')
    await expect(store.create(someSpec({ storage: { size: 'much' } }))).rejects.toThrow(StoreRejection)
    await expect(store.create(someSpec({ storage: { size: 'much' } }))).rejects.toThrow(/size/)
  })
})

describe("the control plane's store over Kubernetes", () => {
  let store: ReturnType<typeof managedDaemonResource>
  beforeAll(async () => {
    await cluster.namespace('control-plane-store')
    store = managedDaemonResource({ namespace: 'control-plane-store', log: quietLog, kubeconfig: cluster.kubeconfig })
  })
  afterAll(() => store.close())

  storeConformance(async () => ({ store, operator: open('control-plane-store') }))

  it('refuses what only the operator may write', async () => {
    const { name, resourceVersion, status } = await store.create(someSpec())
    await expect(store.putStatus(name, resourceVersion, status)).rejects.toThrow(StoreRejection)
    await expect(store.release(name)).rejects.toThrow(StoreRejection)
  })

  it('reuses its connections', async () => {
    const before = await connections(cluster.server)
    for (let i = 0; i < 50; i++) await store.find('org-zzzzzzzzzzzzzzzzzzzzzzzz')
    expect((await connections(cluster.server)) - before).toBeLessThanOrEqual(2)
  })
})

async function connections(server: string): Promise<number> {
  const port = Number(new URL(server).port).toString(16).toUpperCase().padStart(4, '0')
  const rows = (await readFile('/proc/self/net/tcp', 'utf8')).split('\n')
  // Column 3 is the remote address, column 4 the state; 01 is established.
  return rows.filter((row) => new RegExp(`^ *\\d+: \\S+ \\S+:${port} 01 `).test(row)).length
}
