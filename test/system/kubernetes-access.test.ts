import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { findCondition, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { StoreRejection } from '@svc/shared/wire/managed-daemon-store.ts'
import { managedDaemonResource } from '../../control-plane/src/managed-daemons/managed-daemon-resource.ts'
import type { KubeCall } from '@svc/kube/src/kube-client.ts'
import { absentOn404 } from '@svc/kube/src/kube-error.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import { verifies } from '../requirements.ts'
import { quietLog, startCluster, type TestCluster } from '../support/kubernetes.ts'
import { someSpec } from '../support/managed-daemon-specs.ts'
import { operatorHarness, REPOSITORY, type Harness } from '../support/operator-harness.ts'
import { until } from '../support/until.ts'

type Role = KubeObject & { rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[] }
const NAMESPACE = 'svc-daemons'
const documents = <T>(file: string): T[] =>
  parseAllDocuments(readFileSync(new URL(`../../crds/${file}`, import.meta.url), 'utf8')).map(
    (each) => each.toJS() as T,
  )

let cluster: TestCluster
let world: Harness
const roles = documents<Role>('roles.yaml')

beforeAll(async () => {
  cluster = await startCluster()
  const kubeconfig = await cluster.addUser('svc-operator')
  world = await operatorHarness({ cluster, namespace: NAMESPACE, kubeconfig })
  for (const role of roles) await grant(role)
  await until('the API server knows the roles', mayReadAll(kubeconfig))
})
afterAll(async () => {
  await world.stop()
  await cluster.stop()
})

async function grant(role: Role): Promise<void> {
  const { name, namespace = '' } = role.metadata
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  await world.admin.request({ method: 'POST', path: `${rbac}/roles`, body: role })
  const user = name.startsWith('svc-operator') ? 'svc-operator' : 'svc-control-plane'
  const body = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  }
  await world.admin.request({ method: 'POST', path: `${rbac}/rolebindings`, body })
}

/** True when the roles of the operator apply, which they do a moment after they are created. */
const mayReadAll = (kubeconfig: string) => {
  const client = cluster.client({ kubeconfig })
  const paths = [pathOf(kinds.managedDaemon, NAMESPACE), pathOf(kinds.lease, 'svc-system', 'any')]
  const mayRead = (path: string) =>
    absentOn404(client.request({ method: 'GET', path })).then(
      () => true,
      () => false,
    )
  return async () => (await Promise.all(paths.map(mayRead))).every(Boolean)
}

const settled = ({ status, generation }: ManagedDaemon) =>
  status.observedState === 'running' &&
  status.observedGeneration === generation &&
  findCondition(status, 'Progressing')?.status === 'False'

describe('the roles', () => {
  it('let the operator do all of its work, and grant nothing else', async () => {
    verifies('security.least-rights')
    world.start()
    const image = await world.image({ version: '1.0.0' })
    const { name } = await world.create({ image })
    await world.reaches(name, 'running', settled)
    await world.patch(name, {
      image: await world.image({ version: '2.0.0' }),
      operation: { id: 'roll-0001', action: 'image_roll', epoch: 1 },
      relay: { keyGeneration: 2 },
    })
    await world.reaches(name, 'rolled', (daemon) => settled(daemon) && daemon.status.operation?.outcome === 'succeeded')
    await world.patch(name, { storage: { size: '128Mi' }, deletionPolicy: 'delete' })
    await world.reaches(
      name,
      'grown',
      (daemon) => settled(daemon) && daemon.status.storage?.capacityBytes === 128 * 2 ** 20,
    )
    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'asleep', ({ status }) => status.observedState === 'sleeping')
    await world.store.remove(name)
    await until('the resource is gone', async () => (await world.store.find(name)) === undefined)
    // The resource disappears before the operator has the response to its call. If the operator stopped now, the log of
    // calls would lack the release.
    await until('the operator has the answer to its release', () =>
      world.calls.some((call) => permissions(call).includes('patch svcd.dev/manageddaemons')),
    )
    await world.stopOperators()

    expect(world.calls.filter(({ status }) => status === 403)).toEqual([])
    const used = new Set(world.calls.flatMap(permissions))
    const granted = new Set(
      roles.filter(({ metadata }) => metadata.name.startsWith('svc-operator')).flatMap(permissionsOf),
    )
    expect([...granted].filter((permission) => !used.has(permission))).toEqual([])
    expect([...used].filter((permission) => !granted.has(permission))).toEqual([])
  })

  it('let the control plane write specs, and neither statuses nor anything else', async () => {
    verifies('security.least-rights')
    const kubeconfig = await cluster.addUser('svc-control-plane')
    const store = managedDaemonResource({ namespace: NAMESPACE, log: quietLog, kubeconfig })
    const { name, resourceVersion } = await store.create(someSpec())
    await store.patchSpec(name, resourceVersion, { desiredState: 'sleeping' })
    await store.remove(name)
    const client = cluster.client({ kubeconfig })
    for (const kind of [kinds.secret, kinds.pod, kinds.statefulSet])
      await expect(client.request({ method: 'GET', path: pathOf(kind, NAMESPACE) })).rejects.toThrow('forbidden')
    const path = `${pathOf(kinds.managedDaemon, NAMESPACE, name)}/status`
    const body = { status: { observedState: 'running', conditions: [] } }
    await expect(client.request({ method: 'PATCH', patch: 'merge', path, body })).rejects.toThrow('forbidden')
    await store.close()
  })
})

describe('the admission policies', () => {
  beforeAll(async () => {
    const admission = '/apis/admissionregistration.k8s.io/v1'
    const parameter = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'daemon-images' },
      data: { repository: REPOSITORY },
    }
    await world.admin.request({ method: 'POST', path: `/api/v1/namespaces/${NAMESPACE}/configmaps`, body: parameter })
    for (const policy of documents<KubeObject>('policies.yaml')) {
      await world.admin.request({ method: 'POST', path: `${admission}/validatingadmissionpolicies`, body: policy })
      const { name } = policy.metadata
      const body = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: {
          policyName: name,
          validationActions: ['Deny'],
          paramRef: { name: 'daemon-images', namespace: NAMESPACE, parameterNotFoundAction: 'Deny' },
          matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } } },
        },
      }
      await world.admin.request({ method: 'POST', path: `${admission}/validatingadmissionpolicybindings`, body })
    }
    // A policy takes effect a moment after it is created.
    await until('the policies hold', async () => {
      const foreign = someSpec({ image: `evil.example/svcd@sha256:${'a'.repeat(64)}` })
      return world.store.create(foreign).then(
        () => false,
        (error: unknown) => error instanceof StoreRejection,
      )
    })
  })

  const digest = `@sha256:${'a'.repeat(64)}`
  const refused = [
    ['another host', `evil.example/svc/svcd${digest}`],
    ['a repository that begins alike', `${REPOSITORY}-evil${digest}`],
    ['a tag alone', `${REPOSITORY}:1.0.0`],
    ['a short digest', `${REPOSITORY}@sha256:abc`],
    ['two digests', `${REPOSITORY}${digest}${digest}`],
    ['the repository as a prefix of the path', `${REPOSITORY}/other${digest}`],
  ]
  it.each(refused)('refuse an image of %s', async (_what, image) => {
    verifies('security.admission-policy')
    await expect(world.store.create(someSpec({ image }))).rejects.toThrow(REPOSITORY)
  })

  it('let images of the repository through, with or without a tag beside the digest', async () => {
    for (const image of [`${REPOSITORY}${digest}`, `${REPOSITORY}:1.0.0${digest}`])
      expect((await world.store.create(someSpec({ image }))).spec.image).toBe(image)
  })

  it('let the pods of the operator through, and refuse what a daemon must not have', async () => {
    verifies('security.admission-policy')
    world.start()
    const image = await world.image({ version: '1.0.0' })
    const { name } = await world.create({ image })
    await world.reaches(name, 'running', settled)
    const pod = (await world.get<KubeObject & { spec: Record<string, unknown> }>(kinds.pod, `${name}-0`))!

    const attempt = (change: Record<string, unknown>) => {
      const spec = { ...pod.spec, nodeName: undefined, hostname: undefined, ...change }
      const { labels } = pod.metadata
      const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'attempt', labels }, spec }
      return world.admin.request({ method: 'POST', path: pathOf(kinds.pod, NAMESPACE), query: { dryRun: 'All' }, body })
    }
    await attempt({})
    // Each policy takes effect a moment after it is created; above, another one was waited for.
    const isRefused = async () =>
      (await attempt({ automountServiceAccountToken: true }).catch(() => undefined)) === undefined
    await until('the policy of pods holds', isRefused)
    const mounted = (volume: object) => ({ volumes: [...(pod.spec.volumes as object[]), { name: 'extra', ...volume }] })
    await expect(attempt({ automountServiceAccountToken: true })).rejects.toThrow('no service-account token')
    await expect(attempt(mounted({ secret: { secretName: 'org-other-relay' } }))).rejects.toThrow('own Secret')
    await expect(attempt(mounted({ hostPath: { path: '/' } }))).rejects.toThrow('host volumes')
    await expect(attempt(mounted({ persistentVolumeClaim: { claimName: 'org-other-home' } }))).rejects.toThrow(
      'own volume',
    )
    const containers = [{ ...(pod.spec.containers as object[])[0], image: `evil.example/svcd${digest}` }]
    await expect(attempt({ containers })).rejects.toThrow('allowed repository')
  })
})

/** The permissions that a call needs: verb and resource, with the group. */
function permissions({ method, path, query }: KubeCall): string[] {
  const [, group = '', resource = '', name, subresource] =
    /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path) ?? []
  const watching = new URLSearchParams(query).get('watch') === 'true'
  const applying = new URLSearchParams(query).has('force') && !subresource
  const verbs: Record<string, string[]> = {
    GET: [name ? 'get' : watching ? 'watch' : 'list'],
    POST: ['create'],
    PUT: ['update'],
    // Server-side apply also creates missing objects, which needs another permission.
    PATCH: applying ? ['patch', 'create'] : ['patch'],
    DELETE: ['delete'],
  }
  return (verbs[method] ?? []).map(
    (verb) => `${verb} ${group}/${subresource ? `${resource}/${subresource}` : resource}`,
  )
}

const permissionsOf = ({ rules }: Role) =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`))),
  )
