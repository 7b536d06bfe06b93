import { readFile } from 'node:fs/promises'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '@svc/kube/src/kinds.ts'
import { startCluster } from '../../test/support/kubernetes.ts'

export const DAEMONS = 'svc-daemons'
const SYSTEM = 'svc-system'
const USER = 'svc-operator'

/** A real API server with its controllers, and a kubeconfig for an operator with the rights of its role. */
export async function startBenchCluster() {
  const cluster = await startCluster()
  const admin = cluster.client()
  for (const namespace of [DAEMONS, SYSTEM]) await cluster.namespace(namespace)

  const roles = parseAllDocuments(await readFile(new URL('../../crds/roles.yaml', import.meta.url), 'utf8'))
  for (const role of roles.map((document) => document.toJS() as KubeObject)) {
    const { name, namespace } = role.metadata
    if (!name.startsWith(USER)) continue
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
    await admin.request({ method: 'POST', path: `${rbac}/roles`, body: role })
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }],
    }
    await admin.request({ method: 'POST', path: `${rbac}/rolebindings`, body: binding })
  }
  return { ...cluster, operatorKubeconfig: await cluster.addUser(USER) }
}
