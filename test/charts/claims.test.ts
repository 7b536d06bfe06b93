import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { verifies } from '../requirements.ts'
import { startChartCluster } from '../support/chart-cluster.ts'
import { least, leastDaemon, merged, type Values } from '../support/chart-values.ts'
import { chartFolder, helmRun, type ChartName } from '../support/helm.ts'
import type { TestCluster } from '../support/kubernetes.ts'

type Claims = { spec: { volumeClaimTemplates?: { spec: { resources: { requests: { storage: string } } } }[] } }
const namespace = 'svc-system'

let cluster: TestCluster
let client: KubeClient
beforeAll(async () => {
  cluster = await startChartCluster()
  client = cluster.client()
})
afterAll(() => cluster?.stop())

/** Installs or upgrades a release; returns the reason if Helm refuses. */
const upgrade = (release: string, chart: ChartName, values: Values) =>
  helmRun(
    inject('helm'),
    ['upgrade', '--install', release, chartFolder(chart), '--namespace', namespace, '--values', '-'],
    { kubeconfig: cluster.kubeconfig, input: JSON.stringify(values) },
  ).then(
    () => 'done',
    ({ message }: Error) => message,
  )
const path = (name: string) => `/apis/apps/v1/namespaces/${namespace}/statefulsets/${name}`
const sizeOf = async (name: string) =>
  (await client.request<Claims>({ method: 'GET', path: path(name) })).spec.volumeClaimTemplates?.[0]?.spec.resources
    .requests.storage
/** What the refusal tells to do. No controller runs here that would complete the deletion of an orphan's owner. */
const remove = (name: string) => client.request({ method: 'DELETE', path: path(name) })

// Kubernetes refuses every change of a claim in a StatefulSet, and names none.
test('another volume of a daemon is refused with what to do, and taken after that', async () => {
  verifies('chart.claims')
  const name = 'notes-svcd'
  const withStorage = (storage: Values) => upgrade('notes', 'svcd', merged(leastDaemon, { storage }))
  expect(await withStorage({ size: '1024Gi', storageClassName: 'fast' })).toBe('done')
  expect(await sizeOf(name)).toBe('1Ti')
  expect(await withStorage({ size: '1Ti', storageClassName: 'fast' })).toBe('done')

  const larger = await withStorage({ size: '2Ti', storageClassName: 'fast' })
  expect(larger).toContain(
    `storage.size: the volume was made with 1Ti. To grow it: kubectl -n ${namespace} patch pvc data-${name}-0`,
  )
  expect(larger).toContain(`kubectl -n ${namespace} delete statefulset ${name} --cascade=orphan, then upgrade`)
  expect(await withStorage({ size: '1Ti' })).toContain(
    'storage.storageClassName: a volume keeps its class, here fast: set that',
  )
  expect(await withStorage({ size: '1000Gi', storageClassName: 'fast' })).toContain(
    'storage.size: a volume cannot shrink, and was made with 1Ti: set that',
  )
  const other = await withStorage({ existingClaim: 'mine' })
  expect(other).toContain(`storage.existingClaim: the notes are on data-${name}-0. Copy them to mine`)

  await remove(name)
  expect(await withStorage({ size: '2Ti', storageClassName: 'fast' })).toBe('done')
  expect(await sizeOf(name)).toBe('2Ti')
  await remove(name)
  expect(await withStorage({ existingClaim: 'mine' })).toBe('done')
  expect(await withStorage({ existingClaim: 'other' })).toBe('done')
  expect(await withStorage({})).toContain('storage.existingClaim: the notes are on other.')
})

test('another volume of a trial is refused with what to do, and taken after that', async () => {
  verifies('chart.claims')
  const name = 'svc-svc-platform-trial-valkey'
  const withTrial = (valkey: Values) => {
    const trial = { valkey: { enabled: true, ...valkey } }
    return upgrade('svc', 'svc-platform', merged(least, { operator: { enabled: false }, trial }))
  }
  expect(await withTrial({})).toBe('done')
  const larger = await withTrial({ storage: '2Gi' })
  expect(larger).toContain(
    `trial.valkey.storage: the volume was made with 1Gi. To grow it: kubectl -n ${namespace} patch pvc data-${name}-0`,
  )
  expect(await withTrial({ storageClassName: 'fast' })).toContain(
    "trial.valkey.storageClassName: a volume keeps its class, here the cluster's: set that",
  )
  await remove(name)
  expect(await withTrial({ storage: '2Gi' })).toBe('done')
  expect(await sizeOf(name)).toBe('2Gi')
})
