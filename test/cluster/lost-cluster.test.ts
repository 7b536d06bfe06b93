import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { findCondition } from '@svc/shared/wire/managed-daemon.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import { verifies } from '../requirements.ts'
import { startBucket, type Bucket } from '../support/bucket.ts'
import { settled, type Hosted } from '../support/cluster.ts'
import { helmPlatform, type HelmPlatform } from '../support/helm-platform.ts'
import { DAEMONS, SYSTEM } from '../support/helm-release.ts'
import { createPerson, type Person } from '../support/person.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

type Member = { person: Person; org: Hosted; files: Map<string, Buffer> }

const { host } = inject('cluster')
const vault = '/api/vaults/demo-vault'
const NOTES = 40
const DUMP = 'pg_dump --host /var/run/postgresql --username svc --format=custom svc | base64 -w0'
const RESTORE =
  'base64 -d | pg_restore --host /var/run/postgresql --username svc --dbname svc --clean --if-exists --single-transaction'

let bucket: Bucket
let platform: HelmPlatform
let selfHosted: { daemon: Svcd; person: Person; org: Hosted }
const members: Member[] = []
const secret = 'backup-storage'

beforeAll(async () => {
  bucket = await startBucket({ listen: host })
  const { bucket: name, endpoint, accessKeyId } = bucket.config
  const backups = { bucket: name, endpoint, accessKeyId, existingSecret: secret, everySeconds: 0 }
  const keys = { 'backup-key': randomBytes(32).toString('hex'), 'secret-access-key': bucket.secret }
  platform = await helmPlatform({ backups }, { [secret]: keys })
  members.push(await join('Lost'), await join('Drowned'))
  selfHosted = await joinSelfHosted()
}, 900_000)
afterAll(async () => {
  await selfHosted?.daemon.remove()
  await platform?.remove()
  await bucket?.remove()
}, 600_000)

/** A hosted organization with notes and files of known content, a revision, and a deleted note. */
async function join(title: string): Promise<Member> {
  const { cluster } = platform
  const { person, org } = await cluster.hosted(title)
  const browser = await cluster.enter(person, org)
  const files = new Map<string, Buffer>()
  const create = { 'if-none-match': '*' }
  for (let index = 0; index < NOTES; index += 1) {
    const path = `${vault}/notes/Folder ${index % 4}/Note-${index}.md`.replaceAll(' ', '%20')
    const content = `# ${title} ${index}\n\nÄ€𝄞 ${randomBytes(40 * index).toString('base64')}\n`
    const saved = await browser.send('PUT', path, { body: { content }, headers: create })
    expect(saved.status, saved.text).toBe(201)
    files.set(path, Buffer.from(content))
  }
  for (let index = 0; index < 4; index += 1) {
    const path = `${vault}/attachments/file-${index}.bin`
    // JSON quotes the text, so the bytes of the file are those of the quoted text.
    const text = randomBytes(300_000).toString('hex')
    const headers = { 'content-type': 'application/octet-stream', ...create }
    expect((await browser.send('PUT', path, { body: text, headers })).status).toBe(201)
    files.set(path, Buffer.from(JSON.stringify(text)))
  }
  const deleted = `${vault}/notes/Deleted.md`
  const made = await browser.send('PUT', deleted, { body: { content: 'deleted\n' }, headers: create })
  const gone = await browser.send('DELETE', deleted, { headers: { 'if-match': `"${made.body.note.baseline}"` } })
  expect(gone.status, gone.text).toBeLessThan(300)
  await until('the history has the newest note', async () => (await revisions(browser)) > 0)
  return { person, org, files }
}

const revisions = async (browser: Person): Promise<number> =>
  (await browser.get(`${vault}/history/Folder%203/Note-${NOTES - 1}.md`)).body?.revisions?.length ?? 0

/** A daemon outside the cluster, which survives the loss. */
async function joinSelfHosted() {
  const { release } = platform
  const person = createPerson(release.origin, release.mailbox)
  await person.signUp({ email: 'outside@example.org' })
  const made = await person.post('/api/provisioning/orgs/self-hosted', { name: 'Outside' })
  const { id, slug } = made.body.organization as { id: string; slug: string }
  const daemon = await startSvcd({
    env: {
      SVC_RELAY_URL: `http://127.0.0.1:${release.ports.dialIn}/t/${id}`,
      SVC_RELAY_TOKEN: made.body.apiKey as string,
    },
  })
  const org = { id, slug, title: 'Outside', name: '', pod: '', volume: '' }
  const browser = await platform.cluster.enter(person, org)
  expect((await browser.get(`${vault}/notes/README.md`)).status).toBe(200)
  return { daemon, person, org }
}

/**
 * What the person who runs the platform must keep besides the bucket: a copy of the database, and the Secret with the
 * platform's own keys.
 */
async function keep(): Promise<{ dump: string; generated: KubeObject }> {
  const path = pathOf(kinds.secret, SYSTEM, 'svc-svc-platform-generated')
  const found = await platform.cluster.client.request<KubeObject & { data: object; type: string }>({
    method: 'GET',
    path,
  })
  const { name, namespace, labels, annotations } = found.metadata
  const generated = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: found.type,
    data: found.data,
    metadata: { name, namespace, labels, annotations },
  } as KubeObject
  return { dump: await platform.release.inDatabase(DUMP), generated }
}

const volumesOf = async (...namespaces: string[]) => {
  const { items } = await platform.cluster.client.request<{
    items: { spec: { claimRef?: { namespace: string } } }[]
  }>({ method: 'GET', path: '/api/v1/persistentvolumes' })
  return items.filter(({ spec }) => namespaces.includes(spec.claimRef?.namespace ?? '')).length
}

const confirmedFor = ({ org }: Member) => [
  '--org',
  org.id,
  '--confirm',
  org.slug,
  '--reason',
  'the cluster was lost',
  '--wait',
  '300',
]

test(
  'from backups, a copy of the database and one Secret an empty cluster serves all again',
  { timeout: 1_800_000 },
  async () => {
    verifies('cluster.lost')
    const { cluster, release, svcAdmin } = platform
    const kept = await (async () => {
      for (const member of members) {
        const taken = await svcAdmin('backup', 'take', ...confirmedFor(member))
        expect(taken, taken.stderr).toMatchObject({ code: 0, body: { ok: true } })
      }
      return keep()
    })()

    await platform.lose()
    await until('every volume is gone', async () => (await volumesOf(SYSTEM, DAEMONS)) === 0, { withinMs: 120_000 })
    const since = systemClock.monotonic()
    await platform.installAgain([kept.generated])
    await release.stopServing()
    await release.inDatabase(RESTORE, kept.dump)
    await platform.startAgain()

    for (const member of members) {
      const reinstalled = await svcAdmin('reinstall', ...confirmedFor(member))
      expect(reinstalled, reinstalled.stderr).toMatchObject({ code: 0, body: { ok: true } })
      const { body } = await svcAdmin('backup', 'list', '--org', member.org.id)
      expect(body.state.awaitsRestore).toBe(true)
      const restored = await svcAdmin(
        'backup',
        'restore',
        ...confirmedFor(member),
        '--backup',
        body.backups[0].backupId,
      )
      expect(restored, restored.stderr).toMatchObject({ code: 0, body: { ok: true } })
      const { uid, status } = await cluster.reaches(member.org.name, 'settled', settled)
      expect(restored.body.resourceUid).toBe(uid)
      expect(findCondition(status, 'RelayConnected')?.status).toBe('True')
    }
    console.log(`served again after ${((systemClock.monotonic() - since) / 1_000).toFixed(0)} s`)
  },
)

test('every note and file is as it was, byte by byte, with history and trash', { timeout: 600_000 }, async () => {
  verifies('cluster.lost')
  for (const { person, org, files } of members) {
    const browser = await platform.cluster.enter(person, org)
    const different: string[] = []
    for (const [path, wanted] of files) {
      const { status, text } = await browser.get(path, { headers: { accept: 'text/markdown, */*' } })
      if (status !== 200 || !Buffer.from(text).equals(wanted)) different.push(`${status} ${path}`)
    }
    expect(different, org.title).toEqual([])
    expect(await revisions(browser)).toBeGreaterThan(0)
    const { body } = await browser.get(`${vault}/trash`)
    expect(JSON.stringify(body)).toContain('Deleted.md')
  }
})

test('a daemon outside connects again by itself, and the audit is whole', { timeout: 300_000 }, async () => {
  verifies('cluster.lost')
  const { person, org } = selfHosted
  const browser = await platform.cluster.enter(person, org)
  expect((await browser.get(`${vault}/notes/README.md`)).status).toBe(200)
  const verified = await platform.svcAdmin('audit', 'verify')
  expect(verified.code, JSON.stringify(verified.body)).toBe(0)
  expect(verified.body).toMatchObject({ valid: true })
})
