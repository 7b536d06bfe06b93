import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCluster, type TestCluster } from '../support/kubernetes.ts'
import { freePort } from '../support/free-port.ts'
import { REPOSITORY } from '../support/operator-harness.ts'
import { until } from '../support/until.ts'

const main = fileURLToPath(new URL('../../operator/src/main.ts', import.meta.url))

function start(env: Record<string, string>, args: string[] = []) {
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return { child, said, ended }
}

describe('the operator as a process', () => {
  it('explains its configuration', async () => {
    const { said, ended } = start({}, ['--help'])
    expect(await ended).toBe(0)
    for (const name of ['DAEMON_NAMESPACE', 'IMAGE_REPOSITORY', 'RELAY_EGRESS', 'LEASE_NAME'])
      expect(said.out).toContain(name)
  })

  const wrong: [string, Record<string, string>, RegExp][] = [
    ['nothing', {}, /IMAGE_REPOSITORY.*RELAY_EGRESS/],
    ['text for JSON', { IMAGE_REPOSITORY: REPOSITORY, RELAY_EGRESS: 'relay' }, /RELAY_EGRESS: must be JSON/],
    ['a peer of neither kind', { IMAGE_REPOSITORY: REPOSITORY, RELAY_EGRESS: '{"host":"relay"}' }, /RELAY_EGRESS/],
    [
      'one namespace for both',
      {
        IMAGE_REPOSITORY: REPOSITORY,
        RELAY_EGRESS: '{"cidr":"10.0.0.1/32","port":7380}',
        DAEMON_NAMESPACE: 'a',
        SYSTEM_NAMESPACE: 'a',
      },
      /DAEMON_NAMESPACE: must differ/,
    ],
  ]
  it.each(wrong)('ends with 78 and one line when configured with %s', async (_what, env, message) => {
    const { said, ended } = start(env)
    expect(await ended).toBe(78)
    expect(said.err.trim().split('\n')).toHaveLength(1)
    expect(said.err).toMatch(message)
  })

  it('ends with 64 for an argument that it does not know', async () => {
    expect(await start({}, ['--nonsense']).ended).toBe(64)
  })
})

describe('the operator beside a cluster', () => {
  let cluster: TestCluster
  let child: ChildProcess
  beforeAll(async () => {
    cluster = await startCluster({ controllers: false })
    await cluster.namespace('svc-system')
    await cluster.namespace('svc-daemons')
  })
  afterAll(async () => {
    if (child?.exitCode === null) child.kill('SIGKILL')
    await cluster.stop()
  })

  it('leads, is ready, tells its metrics, and gives the lease back when stopped', async () => {
    const port = await freePort()
    const started = start({
      KUBECONFIG: cluster.kubeconfig,
      IMAGE_REPOSITORY: REPOSITORY,
      RELAY_EGRESS: '{"cidr":"10.0.0.1/32","port":7380}',
      HOST: '127.0.0.1',
      PORT: String(port),
    })
    child = started.child
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
    const leads = async () => ((await get('/ready').then((answer) => answer.json())) as { leading: boolean }).leading
    await until('readiness', () =>
      get('/ready').then(
        async (answer) => answer.ok && (await leads()),
        () => false,
      ),
    )
    expect(await (await get('/health')).json()).toEqual({ ok: true })
    expect(await (await get('/metrics')).text()).toMatch(/^svc_operator_leading 1$/m)
    expect((await get('/elsewhere')).status).toBe(404)

    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
    const lease = await cluster.client().request<{ spec: { holderIdentity: string } }>({
      method: 'GET',
      path: '/apis/coordination.k8s.io/v1/namespaces/svc-system/leases/svc-operator',
    })
    expect(lease.spec.holderIdentity).toBe('')
  })
})
