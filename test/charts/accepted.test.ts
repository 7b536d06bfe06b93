import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { verifies } from '../requirements.ts'
import { podsOf } from '../support/chart-checks.ts'
import { CHART_NAMESPACE, startChartCluster } from '../support/chart-cluster.ts'
import { least, leastDaemon, merged, type Values } from '../support/chart-values.ts'
import { chartFolder, helmRun, type ChartName, type ChartObject } from '../support/helm.ts'
import type { TestCluster } from '../support/kubernetes.ts'
import { removeFolder } from '../support/remove-folder.ts'

type ResourceList = { resources: { name: string; kind: string; namespaced: boolean }[] }

const rendered = inject('rendered')

let cluster: TestCluster
let client: KubeClient

beforeAll(async () => {
  cluster = await startChartCluster()
  client = cluster.client()
  for (const name of ['svc-daemons', 'tenants']) await cluster.namespace(name)
})
afterAll(() => cluster?.stop())

const root = ({ apiVersion }: ChartObject) => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`)
const lists = new Map<string, Promise<ResourceList>>()

async function pathOf(object: ChartObject): Promise<string> {
  const base = root(object)
  const list = lists.get(base) ?? client.request<ResourceList>({ method: 'GET', path: base })
  lists.set(base, list)
  const found = (await list).resources.find(({ kind, name }) => kind === object.kind && !name.includes('/'))
  if (found === undefined) throw new Error(`the API server serves no ${object.kind} of ${object.apiVersion}`)
  const within = found.namespaced ? `/namespaces/${object.metadata.namespace ?? CHART_NAMESPACE}` : ''
  return `${base}${within}/${found.name}/${object.metadata.name}`
}

/** Server-side apply as a dry run: unknown fields are an error. */
async function refusal(object: ChartObject): Promise<string | undefined> {
  const query = { fieldManager: 'chart-test', force: 'true', dryRun: 'All', fieldValidation: 'Strict' }
  return client.request({ method: 'PATCH', patch: 'apply', path: await pathOf(object), query, body: object }).then(
    () => undefined,
    (error: Error) => error.message,
  )
}

test('a real API server takes every object of every set of values', async () => {
  verifies('chart.accepted')
  const sets = new Map<string, { object: ChartObject; name: string }>()
  for (const [name, objects] of Object.entries(rendered))
    for (const object of objects) sets.set(JSON.stringify(object), { object, name })

  const refused: string[] = []
  for (const { object, name } of sets.values()) {
    const message = await refusal(object)
    if (message !== undefined) refused.push(`${name}: ${object.kind} ${object.metadata.name}: ${message}`)
  }
  expect(refused).toEqual([])
  const kinds = new Set([...sets.values()].map(({ object }) => object.kind))
  for (const kind of [
    'HTTPRoute',
    'ServiceMonitor',
    'PrometheusRule',
    'Ingress',
    'HorizontalPodAutoscaler',
    'PodDisruptionBudget',
    'ValidatingAdmissionPolicyBinding',
    'CustomResourceDefinition',
    'Job',
  ])
    expect(kinds, `no set of values makes a ${kind}`).toContain(kind)
})

test('the dry run is strict: it refuses a field that there is not', async () => {
  const service = Object.values(rendered)[0]!.find(({ kind }) => kind === 'Service')!
  expect(await refusal(service)).toBeUndefined()
  expect(await refusal({ ...service, spec: { ...(service.spec as object), portz: [] } })).toContain('portz')
})

test('a Secret that is missing, or lacks a key, is named before anything is installed', async () => {
  verifies('chart.missing-secret')
  const helm = inject('helm')
  const namespace = 'tenants'
  const refusalOf = (chart: ChartName, values: Values) =>
    helmRun(
      helm,
      ['install', 'svc', chartFolder(chart), '--namespace', namespace, '--values', '-', '--dry-run=server'],
      { kubeconfig: cluster.kubeconfig, input: JSON.stringify(values) },
    ).then(
      () => '',
      ({ message }: Error) => message,
    )
  const secret = (name: string, key: string) =>
    client.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/secrets`,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { [key]: 'x' } },
    })

  const missing = await refusalOf('svc-platform', least)
  expect(missing).toContain(
    'Secret svc-database: make it in namespace tenants first, with DATABASE_URL under the key url',
  )
  expect(missing).toContain('Secret svc-mail: make it in namespace tenants first')
  await secret('svc-database', 'url')
  await secret('svc-mail', 'address')
  const lacking = await refusalOf('svc-platform', least)
  expect(lacking).not.toContain('svc-database')
  expect(lacking).toContain('Secret svc-mail: add the key smtp-url, which holds SMTP_URL')

  expect(await refusalOf('svcd', leastDaemon)).toContain('Secret svcd-relay: make it in namespace tenants first')
  await secret('svcd-relay', 'token')
  expect(await refusalOf('svcd', leastDaemon)).toBe('')
})

// A release before gave the Service of a daemon for local use an address, and put the port of the web UI on it.
const oldService = `apiVersion: v1
kind: Service
metadata:
  name: {{ include "svcd.fullname" . }}
spec:
  selector:
    {{- include "svcd.selectorLabels" . | nindent 4 }}
  ports:
    - { name: http, port: 80, targetPort: http }
`

// Neither the address of a Service nor the policy of a StatefulSet can be changed.
test('a daemon for local use that a release before installed is upgraded, and keeps its address and its policy', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-chart-'))
  onTestFinished(() => removeFolder(folder))
  const chart = join(folder, 'svcd')
  await cp(chartFolder('svcd'), chart, { recursive: true })
  await writeFile(join(chart, 'templates/service.yaml'), oldService)
  const daemon = join(chart, 'templates/daemon.yaml')
  const template = await readFile(daemon, 'utf8')
  await writeFile(daemon, template.replace(/^ *podManagementPolicy:.*\n/m, ''))
  const values = { ...leastDaemon, relay: {}, local: { enabled: true, allowedHosts: ['notes.example.internal'] } }
  const upgrade = (from: string) =>
    helmRun(inject('helm'), ['upgrade', '--install', 'old', from, '--namespace', 'tenants', '--values', '-'], {
      kubeconfig: cluster.kubeconfig,
      input: JSON.stringify(values),
    })
  const policy = async () => {
    const path = '/apis/apps/v1/namespaces/tenants/statefulsets/old-svcd'
    const { spec } = await client.request<{ spec: { podManagementPolicy: string } }>({ method: 'GET', path })
    return spec.podManagementPolicy
  }
  const serviceOf = (name: string) => {
    const path = `/api/v1/namespaces/tenants/services/${name}`
    return client.request<ChartObject & { spec: { clusterIP: string } }>({ method: 'GET', path })
  }

  await upgrade(chart)
  const { clusterIP } = (await serviceOf('old-svcd')).spec
  expect(clusterIP).toMatch(/^\d/)
  expect(await policy()).toBe('OrderedReady')
  await upgrade(chartFolder('svcd'))
  expect(await policy()).toBe('OrderedReady')
  const ports = [{ name: 'probe', port: 7383 }]
  expect((await serviceOf('old-svcd')).spec).toMatchObject({ clusterIP, ports })
  expect((await serviceOf('old-svcd-http')).spec).toMatchObject({ ports: [{ name: 'http', port: 80 }] })
})

test('the secret that the chart generated changes in three upgrades', async () => {
  verifies('chart.auth-secret-change')
  const namespace = 'changing'
  const name = 'svc-svc-platform-generated'
  await cluster.namespace(namespace)
  const secrets = `/api/v1/namespaces/${namespace}/secrets`
  for (const [named, key] of Object.entries({ 'svc-database': 'url', 'svc-mail': 'smtp-url' })) {
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: named }, stringData: { [key]: 'x' } }
    await client.request({ method: 'POST', path: secrets, body })
  }
  const args = ['upgrade', '--install', 'svc', chartFolder('svc-platform'), '--namespace', namespace, '--values', '-']
  const upgrade = (auth: Values) =>
    helmRun(inject('helm'), args, {
      kubeconfig: cluster.kubeconfig,
      input: JSON.stringify(merged(least, { operator: { enabled: false }, auth })),
    })
  const path = `${secrets}/${name}`
  const patch = (body: object) => client.request({ method: 'PATCH', patch: 'merge', path, body })
  const keptKeys = async () => (await client.request<{ data: Record<string, string> }>({ method: 'GET', path })).data
  const usedKeys = async () => {
    const web = `/apis/apps/v1/namespaces/${namespace}/deployments/svc-svc-platform-web`
    const pods = podsOf([await client.request<ChartObject>({ method: 'GET', path: web })])
    const variables = pods.flatMap(({ pod }) => pod.containers).flatMap(({ env = [] }) => env)
    return variables.flatMap((variable) =>
      variable.name.startsWith('AUTH_SECRET') ? [[variable.name, variable.valueFrom?.secretKeyRef]] : [],
    )
  }

  await upgrade({})
  await patch({ stringData: { 'auth-secret-2': 'n'.repeat(64) } })
  const before = await keptKeys()
  for (const [present, previous] of [
    ['auth-secret', 'auth-secret-2'],
    ['auth-secret-2', 'auth-secret'],
    ['auth-secret-2', ''],
  ] as const) {
    await upgrade({ existingSecret: name, existingSecretKey: present, previousSecretKey: previous })
    expect(await keptKeys()).toEqual(before)
    expect(await usedKeys()).toEqual([
      ['AUTH_SECRET', { name, key: present }],
      ...(previous === '' ? [] : [['AUTH_SECRET_PREVIOUS', { name, key: previous }]]),
    ])
  }

  // The chart puts an unused value in its place.
  await patch({ data: { 'auth-secret': null } })
  await upgrade({ existingSecret: name, existingSecretKey: 'auth-secret-2' })
  const after = await keptKeys()
  expect(after['auth-secret-2']).toBe(before['auth-secret-2'])
  expect(after['auth-secret']).not.toBe(before['auth-secret'])
})
