import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createKubeClient, type KubeClient } from '@svc/kube/src/kube-client.ts'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import { absentOn404 } from '@svc/kube/src/kube-error.ts'
import { listAll } from '@svc/kube/src/list-all.ts'
import { until } from './until.ts'

export const SYSTEM = 'svc-system'
export const DAEMONS = 'svc-daemons'
const OURS = 'svcd.dev/made-by'
const TEST = 'cluster-test'
const MANIFESTS = ['namespaces', 'managed-daemon', 'roles', 'policies']

const crds = fileURLToPath(new URL('../../crds', import.meta.url))
const plural = (kind: string) => `${kind.toLowerCase()}s`.replace(/ys$/, 'ies')
const collection = (object: KubeObject & { apiVersion: string; kind: string }) => {
  const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`
  const within = object.metadata.namespace === undefined ? '' : `/namespaces/${object.metadata.namespace}`
  return `${root}${within}/${plural(object.kind)}`
}

/** The administrator's access to a cluster. */
export function clusterClient(kubeconfig: string): KubeClient {
  return createKubeClient({ config: loadKubeConfig(kubeconfig), clock: systemClock })
}

/** Applies an object of any kind. */
export async function applyObject(client: KubeClient, body: KubeObject): Promise<void> {
  const object = body as KubeObject & { apiVersion: string; kind: string }
  const path = `${collection(object)}/${object.metadata.name}`
  const query = { fieldManager: TEST, force: 'true' }
  await client.request({ method: 'PATCH', patch: 'apply', path, query, body })
}

/** Deletes an object and waits until it is gone. */
export async function deleteObject(client: KubeClient, body: KubeObject): Promise<void> {
  const object = body as KubeObject & { apiVersion: string; kind: string }
  const path = `${collection(object)}/${object.metadata.name}`
  await absentOn404(client.request({ method: 'DELETE', path, body: { gracePeriodSeconds: 0 } }))
  const isGone = async () => (await absentOn404(client.request({ method: 'GET', path }))) === undefined
  await until(`${object.metadata.name} is gone`, isGone, { withinMs: 180_000, everyMs: 200 })
}

/** Installs the resource definition, the namespaces and the roles; refuses a cluster in which the platform runs. */
export async function installManifests(client: KubeClient, repository: string): Promise<void> {
  for (const name of [SYSTEM, DAEMONS]) {
    const path = `/api/v1/namespaces/${name}`
    const found = await absentOn404(client.request<KubeObject>({ method: 'GET', path }))
    if (found !== undefined && found.metadata.labels?.[OURS] !== TEST)
      throw new Error(`The cluster has a namespace ${name} that these tests did not make: they need one of their own.`)
  }
  for (const name of MANIFESTS)
    for (const document of parseAllDocuments(await readFile(join(crds, `${name}.yaml`), 'utf8'))) {
      const object = document.toJS() as KubeObject
      if (object.kind === 'Namespace') object.metadata.labels = { ...object.metadata.labels, [OURS]: TEST }
      await applyObject(client, object)
      if (object.kind === 'Role') for (const each of grant(object)) await applyObject(client, each)
      if (object.kind === 'ValidatingAdmissionPolicy') await applyObject(client, binding(object.metadata.name))
    }
  const metadata = { name: 'daemon-images', namespace: DAEMONS }
  await applyObject(client, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { repository } } as KubeObject)
  const isServed = async () =>
    (await absentOn404(client.request({ method: 'GET', path: pathOf(kinds.managedDaemon, DAEMONS) }))) !== undefined
  await until('the resource is served', isServed)
}

/** Creates the service account for a role and binds the role to it. */
function grant({ metadata }: KubeObject): KubeObject[] {
  const account = { name: metadata.name.replace(/-lease$/, ''), namespace: SYSTEM }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: metadata.name, namespace: metadata.namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    } as KubeObject,
  ]
}

/** Puts an admission policy in force in the namespace of daemons. */
function binding(name: string): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      paramRef: { name: 'daemon-images', namespace: DAEMONS, parameterNotFoundAction: 'Deny' },
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': DAEMONS } } },
    },
  } as KubeObject
}

/** Removes every daemon with its volume; the operator has to be running. */
export async function removeDaemons(client: KubeClient): Promise<void> {
  const daemons = () => listAll<KubeObject>(client, { kind: kinds.managedDaemon, namespace: DAEMONS })
  for (const { metadata } of (await daemons()).items)
    await absentOn404(client.request({ method: 'DELETE', path: pathOf(kinds.managedDaemon, DAEMONS, metadata.name) }))
  await until('all daemons are gone', async () => (await daemons()).items.length === 0, {
    everyMs: 500,
  })
  await client.request({ method: 'DELETE', path: pathOf(kinds.volumeClaim, DAEMONS) })
}

/** Writes a kubeconfig with exactly the rights of a service account. */
export async function accountKubeconfig({ client, admin, account, file }: AccountOptions): Promise<string> {
  const cluster = loadKubeConfig(admin).getCurrentCluster()
  if (!cluster) throw new Error(`${admin} names no cluster`)
  const path = `/api/v1/namespaces/${SYSTEM}/serviceaccounts/${account}/token`
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7_200 } }
  const { status } = await client.request<{ status: { token: string } }>({ method: 'POST', path, body })
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [
      {
        name: 'it',
        cluster: {
          server: cluster.server,
          'certificate-authority-data': cluster.caData,
          'certificate-authority': cluster.caFile,
          'insecure-skip-tls-verify': cluster.skipTLSVerify || undefined,
        },
      },
    ],
    users: [{ name: 'it', user: { token: status.token } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  }
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  return file
}

type AccountOptions = { client: KubeClient; admin: string; account: string; file: string }
