import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { kinds, pathOf } from '@svc/kube/src/kinds.ts'
import { verifies } from '../requirements.ts'
import { applyObject, clusterClient, deleteObject } from '../support/cluster-access.ts'
import { openCluster, type Cluster, type Hosted } from '../support/cluster.ts'
import { DAEMONS, helmRelease, SYSTEM } from '../support/helm-release.ts'
import { createPerson, type Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const { kubeconfig, images } = inject('cluster')
const client = clusterClient(kubeconfig)
const note = '/api/vaults/demo-vault/notes/Kept.md'
const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: SYSTEM, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
}

let release: Awaited<ReturnType<typeof helmRelease>>
let cluster: Cluster
let stopLeading = () => {}
let person: Person
let org: Hosted
let browser: Person

beforeAll(async () => {
  release = await helmRelease({ kubeconfig, daemonImage: images.first })
  await applyObject(client, namespace)
}, 600_000)
afterAll(async () => {
  stopLeading()
  // The operator has to run for it: a resource goes when it has let go of its children.
  if (org !== undefined) {
    const path = pathOf(kinds.managedDaemon, DAEMONS, org.name)
    await client.request({ method: 'DELETE', path })
    await until('the daemon is gone', async () => (await cluster.store.find(org.name)) === undefined, {
      withinMs: 90_000,
    })
  }
  await release.uninstall().catch(() => {})
  for (const name of [SYSTEM, DAEMONS]) await deleteObject(client, { ...namespace, metadata: { name } } as never)
}, 300_000)

const incarnation = async () => {
  const { metadata, status } = await cluster.pod(org)
  return { uid: metadata.uid, restarts: status.containerStatuses[0]?.restartCount }
}

/** Reads the API and a note through the relay, each on a new connection, until it is stopped; answers what failed. */
function readers() {
  let stopped = false
  const failed: string[] = []
  let done = 0
  const read = async (reader: Person, path: string) => {
    while (!stopped) {
      const answer = await reader
        .get(path, { headers: { connection: 'close' } })
        .catch((error: Error) => ({ status: 0, text: error.message }))
      done += 1
      if (answer.status !== 200) failed.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const anybody = createPerson(release.origin)
  const running = [read(anybody, '/api/health'), read(browser, note), read(browser, note)]
  return async () => {
    stopped = true
    await Promise.all(running)
    return { done, failed }
  }
}

test('Helm installs the platform with a trial database, and its own test passes', { timeout: 600_000 }, async () => {
  verifies('chart.installs')
  await release.apply(release.values())
  stopLeading = await release.lead()
  expect(await release.test()).not.toContain('FAILED')
})

test('the setup link makes the first system admin, and an organization is hosted', { timeout: 300_000 }, async () => {
  const { setupLink } = JSON.parse(await release.inWeb('svc-admin', 'bootstrap')) as { setupLink: string }
  const admin = createPerson(release.origin, release.mailbox)
  await admin.signUp({ email: 'helm-admin@example.org' })
  expect((await admin.post('/api/setup/claim', { token: new URL(setupLink).hash.slice(1) })).status).toBe(200)

  const { origin, mailbox } = release
  cluster = openCluster({ origin, mailbox, admin: [...admin.cookies] }, DAEMONS)
  ;({ person, org } = await cluster.hosted('By Helm'))
  browser = await cluster.enter(person, org)
  expect(
    (await browser.send('PUT', note, { body: { content: '# Kept\n' }, headers: { 'if-none-match': '*' } })).status,
  ).toBe(201)
})

test('svcd by its own chart dials the same relay with the key of a Secret', { timeout: 300_000 }, async () => {
  verifies('chart.self-hosted')
  const owner = createPerson(release.origin, release.mailbox)
  await owner.signUp({ email: 'self.hosted@example.org' })
  const made = await owner.post('/api/provisioning/orgs/self-hosted', { name: 'Self' })
  const { id, slug } = made.body.organization as { id: string; slug: string }
  const key = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'notes-relay', namespace: SYSTEM },
    stringData: { token: made.body.apiKey },
  }
  await applyObject(client, key)
  const [repository, digest] = images.first.split('@') as [string, string]
  await release.applyDaemon({
    image: { repository, digest },
    relay: {
      url: `http://svc-svc-platform.${SYSTEM}.svc.cluster.local:7391/t/${id}`,
      existingSecret: 'notes-relay',
      allowInsecure: true,
    },
    storage: { size: '64Mi' },
    resources: { requests: { cpu: '50m', memory: '128Mi' } },
  })
  await release.testDaemon()
  const entered = await cluster.enter(owner, { id, slug, title: 'Self', name: '', pod: '', volume: '' })
  expect((await entered.get('/api/vaults/demo-vault/notes/README.md')).status).toBe(200)
  await release.removeDaemon()
})

test(
  'an upgrade with a migration fails no request and restarts no daemon, nor does the way back',
  { timeout: 900_000 },
  async () => {
    verifies('chart.rolling-upgrade')
    const before = await incarnation()
    const stop = readers()
    // A new operator too: another setting makes a new pod.
    const next = release.values({ controlPlane: { image: { digest: release.images.next } }, operator: { workers: 9 } })
    await release.apply(next)
    const pods = await release.list('pods', SYSTEM, 'app.kubernetes.io/component=web')
    expect(JSON.stringify(pods)).toContain(release.images.next)
    await release.rollback(1)
    const { done, failed } = await stop()
    expect(failed).toEqual([])
    expect(done).toBeGreaterThan(100)
    expect(await incarnation()).toEqual(before)
  },
)

test(
  'uninstalling keeps daemons, notes and keys, and a new install takes them over',
  { timeout: 900_000 },
  async () => {
    verifies('chart.keeps')
    const before = await incarnation()
    stopLeading()
    await release.uninstall()
    const platform = () =>
      release.list('pods', SYSTEM, 'app.kubernetes.io/part-of=svc-platform,app.kubernetes.io/component!=test')
    await until('the pods of the platform are gone', async () => (await platform()).length === 0, { withinMs: 120_000 })
    expect(await incarnation()).toEqual(before)
    const secrets = (await release.list('secrets', SYSTEM)).map(({ metadata }) => metadata.name)
    expect(secrets).toEqual(expect.arrayContaining(['svc-svc-platform-generated', 'svc-svc-platform-trial-postgres']))

    await release.apply(release.values())
    stopLeading = await release.lead()
    expect(await incarnation()).toEqual(before)
    const again = await cluster.enter(person, org)
    expect((await again.get(note)).body.note.content).toBe('# Kept\n')
  },
)
