import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { kinds, type KubeObject } from '@svc/kube/src/kinds.ts'
import { listAll } from '@svc/kube/src/list-all.ts'
import { verifies } from '../requirements.ts'
import { applyObject, clusterClient } from '../support/cluster-access.ts'
import { openCluster, type Cluster, type Hosted } from '../support/cluster.ts'
import { claimPlatform, clearRelease, makeSystemNamespace, removeDaemonsByRelease } from '../support/helm-platform.ts'
import { DAEMONS, helmRelease, SYSTEM } from '../support/helm-release.ts'
import { createPerson, type Person } from '../support/person.ts'
import { startReaders } from '../support/readers.ts'
import { until } from '../support/until.ts'

const { kubeconfig, images } = inject('cluster')
const client = clusterClient(kubeconfig)
const note = '/api/vaults/demo-vault/notes/Kept.md'

let release: Awaited<ReturnType<typeof helmRelease>>
let cluster: Cluster
let stopLeading = () => {}
let person: Person
let org: Hosted
let browser: Person

beforeAll(async () => {
  await clearRelease(client)
  release = await helmRelease({ kubeconfig, daemonImage: images.first })
  await makeSystemNamespace(client)
}, 600_000)
afterAll(async () => {
  stopLeading()
  await removeDaemonsByRelease(client)
  await release.uninstall().catch(() => {})
  await clearRelease(client)
}, 300_000)

const incarnation = async () => {
  const { metadata, status } = await cluster.pod(org)
  return { uid: metadata.uid, restarts: status.containerStatuses[0]?.restartCount }
}

type StartedPod = KubeObject & { status: { containerStatuses?: { restartCount: number }[] } }

/** The pods of the release with a container that was started more than once. */
const restarts = async () =>
  (await listAll<StartedPod>(client, { kind: kinds.pod, namespace: SYSTEM })).items
    .filter(({ status }) => status.containerStatuses?.some(({ restartCount }) => restartCount > 0))
    .map(({ metadata }) => metadata.name)

test('Helm installs the platform with a trial database, and its own test passes', { timeout: 600_000 }, async () => {
  verifies('chart.installs')
  await release.apply(release.values())
  stopLeading = await release.lead()
  expect(await release.test()).not.toContain('FAILED')
  // The database starts at the same time as the release. Components that need it wait for it instead of failing.
  expect(await restarts()).toEqual([])
})

test('the setup link makes the first system admin, and an organization is hosted', { timeout: 300_000 }, async () => {
  const admin = createPerson(release.origin, release.mailbox)
  await claimPlatform(release, admin)

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
    const anybody = createPerson(release.origin)
    const readers = startReaders([
      { reader: anybody, path: '/api/health' },
      { reader: browser, path: note },
      { reader: browser, path: note },
    ])
    // The operator is replaced too, because a changed setting creates a new pod.
    const next = release.values({ controlPlane: { image: { digest: release.images.next } }, operator: { workers: 9 } })
    await release.apply(next)
    const pods = await release.list('pods', SYSTEM, 'app.kubernetes.io/component=web')
    expect(JSON.stringify(pods)).toContain(release.images.next)
    await release.rollback(1)
    const { done, failed } = await readers.stop()
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
