import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { managedDaemonResource } from '../../control-plane/src/managed-daemons/managed-daemon-resource.ts'
import { managedDaemonKubeStore } from '@svc/kube/src/managed-daemon-kube-store.ts'
import { pathOf, kinds } from '@svc/kube/src/kinds.ts'
import { StoreRejection } from '@svc/shared/wire/managed-daemon-store.ts'
import { countConnections } from '../support/count-connections.ts'
import { quietLog, startCluster, type TestCluster } from '../support/kubernetes.ts'
import { verifies } from '../requirements.ts'
import { someSpec } from '../support/managed-daemon-specs.ts'
import { storeConformance } from '../support/store-conformance.ts'

let cluster: TestCluster

// undici may open a second connection while the first one is still busy with its last answer.
const FEW = [1, 2]
const NOBODY = 'org-zzzzzzzzzzzzzzzzzzzzzzzz'

const open = (namespace: string, kubeconfig = cluster.kubeconfig) =>
  managedDaemonKubeStore({
    client: cluster.client({ kubeconfig }),
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
    const { kubeconfig, opened } = await countConnections(cluster)
    const store = open('operator-store', kubeconfig)
    for (let i = 0; i < 50; i++) await store.find(NOBODY)
    expect(FEW).toContain(opened())
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
    await expect(store.release(name, resourceVersion)).rejects.toThrow(StoreRejection)
  })

  it('reuses its connections', async () => {
    const { kubeconfig, opened } = await countConnections(cluster)
    const counted = managedDaemonResource({ namespace: 'control-plane-store', log: quietLog, kubeconfig })
    for (let i = 0; i < 50; i++) await counted.find(NOBODY)
    expect(FEW).toContain(opened())
    await counted.close()
  })
})
