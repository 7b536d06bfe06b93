import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import { verifies } from '../requirements.ts'
import { DAEMONS } from '../support/cluster-access.ts'
import { openCluster, type ClusterPod, type Hosted } from '../support/cluster.ts'
import { OUTSIDE, outsidePod } from '../support/outside-pod.ts'

const cluster = openCluster()
const { client, host, ports, images } = cluster
const PROBE = 7383

let org: Hosted
let other: ClusterPod
let free: Awaited<ReturnType<typeof outsidePod>>
let targets: Record<string, [string, number]>

beforeAll(async () => {
  org = (await cluster.hosted('Inside')).org
  other = await cluster.pod((await cluster.hosted('Neighbour')).org)
  const command = ['node', '-e', "require('node:http').createServer((_, it) => it.end()).listen(8080)"]
  free = await outsidePod({ client, name: 'free', image: images.first, command })
  const service = await client.request<KubeObject & { spec: { clusterIP: string } }>({
    method: 'GET',
    path: pathOf(kinds.service, 'default', 'kubernetes'),
  })
  const server = new URL(loadKubeConfig(cluster.kubeconfig).getCurrentCluster()!.server)
  targets = {
    'the API server by its Service': [service.spec.clusterIP, 443],
    'the API server itself': [server.hostname, Number(server.port || 443)],
    'the API of the control plane': [host, ports.api],
    'the vault gateway': [host, ports.gateway],
    'the operator': [host, ports.operator],
    'a pod of another namespace': [free.ip, 8080],
  }
})
afterAll(() => free?.remove())

/** The addresses that accept a connection from inside a pod. */
async function openFrom(pod: { pod: string; namespace?: string }, addresses: [string, number][]): Promise<boolean[]> {
  const source = `
    import { connect } from 'node:net'
    const isOpen = ([host, port]) => new Promise((done) => {
      const socket = connect({ host, port, timeout: 1500 })
      const end = (open) => { socket.destroy(); done(open) }
      socket.once('connect', () => end(true)).once('error', () => end(false)).once('timeout', () => end(false))
    })
    console.log(JSON.stringify(await Promise.all(${JSON.stringify(addresses)}.map(isOpen))))`
  return cluster.evaluate<boolean[]>(source, pod)
}

test('a pod that nobody confines reaches all of it, so what follows is the doing of the policy', async () => {
  const open = await openFrom({ pod: 'free', namespace: OUTSIDE }, Object.values(targets))
  expect(Object.keys(targets).map((name, index) => [name, open[index]])).toEqual(
    Object.keys(targets).map((name) => [name, true]),
  )
})

test('from inside a daemon’s pod there is the relay and nothing else', async () => {
  verifies('operator.network-isolation')
  const open = await openFrom(org, [[host, ports.dialIn], [other.status.podIP, PROBE], ...Object.values(targets)])
  const names = ['the relay', 'the pod of another organization', ...Object.keys(targets)]
  expect(names.filter((_, index) => open[index])).toEqual(['the relay'])
  const resolved = await cluster.evaluate<string>(
    `import { lookup } from 'node:dns/promises'
     const name = 'kubernetes.default.svc.cluster.local'
     console.log(JSON.stringify(await lookup(name).then(() => 'resolved', ({ code }) => code)))`,
    org,
  )
  expect(resolved).toBe('resolved')
})

test('nobody but the operator reaches a daemon’s status listener, and it tells nothing without its token', async () => {
  const { podIP } = (await cluster.pod(org)).status
  expect(await openFrom({ pod: 'free', namespace: OUTSIDE }, [[podIP, PROBE]])).toEqual([false])
  const health = await fetch(`http://${podIP}:${PROBE}/health`)
  expect([health.status, await health.json()]).toEqual([200, { ok: true }])
  expect((await fetch(`http://${podIP}:${PROBE}/status`)).status).toBe(401)
})

test('a daemon runs with no user, right or file of the node, and writes to its volume and /tmp alone', async () => {
  verifies('operator.restricted-pod')
  const inside = await cluster.evaluate<Record<string, unknown>>(
    `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
     const status = readFileSync('/proc/1/status', 'utf8')
     const field = (name) => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)[1]
     const write = (path) => { try { writeFileSync(path, 'x'); return 'written' } catch ({ code }) { return code } }
     console.log(JSON.stringify({
       uid: process.getuid(), capabilities: field('CapEff'), bounding: field('CapBnd'), noNewPrivileges: field('NoNewPrivs'),
       seccomp: field('Seccomp'), root: write('/x'), app: write('/app/x'), volume: write(process.env.SVC_HOME + '/.probe'),
       tmp: write('/tmp/x'), account: existsSync('/var/run/secrets/kubernetes.io'),
       services: Object.keys(process.env).filter((name) => name.endsWith('_SERVICE_HOST') && !name.startsWith('KUBERNETES')),
     }))`,
    org,
  )
  const none = '0000000000000000'
  expect(inside).toEqual({
    uid: 10_001,
    capabilities: none,
    bounding: none,
    noNewPrivileges: '1',
    seccomp: '2',
    root: 'EROFS',
    app: 'EROFS',
    volume: 'written',
    tmp: 'written',
    account: false,
    services: [],
  })
})

test('the namespace takes no pod that is less restricted', async () => {
  const { spec } = await cluster.pod(org)
  const attempt = (change: object) => {
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'attempt' },
      spec: { containers: [{ name: 'it', image: spec.containers[0]!.image, ...change }] },
    }
    return client.request({ method: 'POST', path: pathOf(kinds.pod, DAEMONS), query: { dryRun: 'All' }, body })
  }
  await expect(attempt({})).rejects.toThrow('violates PodSecurity "restricted')
  await expect(attempt({ securityContext: { privileged: true } })).rejects.toThrow('violates PodSecurity')
})
