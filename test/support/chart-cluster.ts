import { foreignDefinitions } from './chart-definitions.ts'
import type { ChartObject } from './helm.ts'
import { startCluster, until, type TestCluster } from './kubernetes.ts'

export const CHART_NAMESPACE = 'svc-system'
const foreign = ['gateway.networking.k8s.io/v1', 'monitoring.coreos.com/v1']

type Definition = ChartObject & { spec: { group: string; names: { kind: string } } }

/** Secrets that the sets of values name, with their keys. */
const secrets: Record<string, readonly string[]> = {
  'svc-database': ['url', 'dsn', 'owner-url'],
  'svc-mail': ['smtp-url', 'dsn'],
  'svc-redis': ['url'],
  'svc-auth': ['auth-secret', 'auth-secret-2'],
  'svcd-relay': ['token'],
  'image-token': ['token'],
  google: ['client-secret'],
  oidc: ['client-secret'],
  backup: ['backup-key', 'secret-access-key'],
  code: ['code'],
  r: ['url'],
}

/** An API server that can take every set of values: it serves the foreign kinds and has the Secrets that they name. */
export async function startChartCluster(): Promise<TestCluster> {
  const cluster = await startCluster({ controllers: false })
  const client = cluster.client()
  const definitions = (await foreignDefinitions()) as Definition[]
  // The API server answers for a group as soon as it serves one of its kinds.
  const isServed = (group: string) => {
    const wanted = definitions.filter(({ spec }) => group.startsWith(`${spec.group}/`))
    return client.request<{ resources: { kind: string }[] }>({ method: 'GET', path: `/apis/${group}` }).then(
      ({ resources }) => wanted.every(({ spec }) => resources.some(({ kind }) => kind === spec.names.kind)),
      () => false,
    )
  }
  try {
    await cluster.namespace(CHART_NAMESPACE)
    for (const [name, keys] of Object.entries(secrets)) {
      const stringData = Object.fromEntries(keys.map((key) => [key, 'x']))
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData }
      await client.request({ method: 'POST', path: `/api/v1/namespaces/${CHART_NAMESPACE}/secrets`, body })
    }
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    for (const body of definitions) await client.request({ method: 'POST', path, body })
    for (const group of foreign) await until(`${group} is served`, () => isServed(group))
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}
