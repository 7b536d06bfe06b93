import { beforeAll, expect, test } from 'vitest'
import { findCondition, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { kinds, pathOf } from '@svc/kube/src/kinds.ts'
import { verifies } from '../requirements.ts'
import { DAEMONS } from '../support/cluster-access.ts'
import { openCluster, settled, untilDecided, type Hosted } from '../support/cluster.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const cluster = openCluster()
const { images } = cluster
const vault = '/api/vaults/demo-vault'
const capacity = 128 * 2 ** 20

const admin = cluster.admin()
let person: Person
let org: Hosted
let browser: Person
let volume: { uid: string | undefined; name: string }

const saveNote = async (path: string, content: string) => {
  const at = `${vault}/notes/${path}`
  const { status, body } = await browser.get(at)
  const headers: Record<string, string> =
    status === 200 ? { 'if-match': `"${body.note.baseline}"` } : { 'if-none-match': '*' }
  return browser.send('PUT', at, { body: { content }, headers })
}
const readNote = async (path: string) => (await browser.get(`${vault}/notes/${path}`)).body.note?.content
const sameVolume = async () => {
  const claim = await cluster.volume(org)
  expect({ uid: claim?.metadata.uid, name: claim?.spec.volumeName }).toEqual(volume)
}
const incarnation = async () => {
  const { metadata, status } = await cluster.pod(org)
  return { uid: metadata.uid, restarts: status.containerStatuses[0]?.restartCount }
}
const roll = (image: string, operationId: string) =>
  untilDecided(() =>
    admin.post(`/api/admin/managed-daemons/${org.id}/image`, {
      image,
      confirmation: org.id,
      operationId,
      reason: 'the journey',
    }),
  )

const administer = (action: string, request: object, { id, slug }: Hosted = org) =>
  untilDecided(() =>
    admin.post(`/api/admin/managed-daemons/${id}/${action}`, { reason: 'the journey', confirmation: slug, ...request }),
  )
const onlyKey = (generation: number) => (daemon: ManagedDaemon) => {
  const keys = daemon.status.relay?.keys ?? []
  return settled(daemon) && keys.length === 1 && keys[0]?.generation === generation
}

beforeAll(async () => {
  // Operations need a fresh sign-in; the run may have begun long ago.
  admin.email = cluster.adminEmail
  expect((await admin.signIn()).status).toBe(200)
  ;({ person, org } = await cluster.hosted('Journey'))
})

test('a hosted organization has a pod of the image by digest, and its vault is entered through the relay', async () => {
  const pod = await cluster.pod(org)
  expect(pod.spec.containers[0]?.image).toBe(images.first)
  const claim = await cluster.volume(org)
  volume = { uid: claim?.metadata.uid, name: claim?.spec.volumeName ?? '' }
  expect(volume.name).not.toBe('')

  browser = await cluster.enter(person, org)
  expect((await saveNote('Kept.md', '# Kept through everything\n')).status).toBe(201)
  expect((await saveNote('Kept.md', '# Kept through everything\n\nEdited.\n')).status).toBe(200)
})

test('git is in the image: a note has a history', async () => {
  await until('the note has a revision', async () => {
    const { body } = await browser.get(`${vault}/history/Kept.md`)
    return (body?.revisions?.length ?? 0) > 0
  })
})

test('a roll ends at the other version, with the note on the same volume', async () => {
  verifies('hosted.reaches-running')
  const before = await cluster.reaches(org.name, 'settled', settled)
  const answer = await roll(images.next, 'cluster-roll-next')
  expect(answer.body, answer.text).toMatchObject({ ok: true, image: images.next, observedState: 'running' })

  const { status } = await cluster.reaches(org.name, 'rolled', settled)
  expect(status).toMatchObject({
    image: images.next,
    lastGoodImage: images.next,
    version: `${before.status.version}-next`,
  })
  expect(status.provider).toEqual(before.status.provider)
  await sameVolume()
  browser = await cluster.enter(person, org)
  expect(await readNote('Kept.md')).toContain('Edited.')
})

test('an image that crashes rolls back by itself, and the version before serves again', async () => {
  verifies('operator.bad-image')
  const answer = await roll(images.bad, 'cluster-roll-bad')
  expect(answer).toMatchObject({ status: 422, body: { error: { code: 'operation_failed' } } })

  const back = await cluster.reaches(org.name, 'rolled back', ({ status }) => status.observedState === 'running')
  expect(back.status).toMatchObject({
    image: images.next,
    lastGoodImage: images.next,
    operation: { outcome: 'failed' },
  })
  expect((await cluster.pod(org)).spec.containers[0]?.image).toBe(images.next)
  await sameVolume()
  browser = await cluster.enter(person, org)
  expect(await readNote('Kept.md')).toContain('Edited.')
  await roll(images.next, 'cluster-roll-after')
  await cluster.reaches(org.name, 'settled', settled)
})

test('the relay key is rotated without a restart', async () => {
  const before = await incarnation()
  const { spec } = (await cluster.store.find(org.name))!
  const answer = await administer('key/rotate', { operationId: 'cluster-rotate-1' })
  const keyGeneration = spec.relay.keyGeneration + 1
  expect(answer.body, answer.text).toMatchObject({ ok: true, keyGeneration })
  // The kubelet takes a while to bring a changed Secret into the pod.
  const rotated = await cluster.reaches(org.name, 'only the new key is left', onlyKey(keyGeneration), 150_000)
  expect(findCondition(rotated.status, 'RelayConnected')?.status).toBe('True')
  expect(await incarnation()).toEqual(before)
  expect(await readNote('Kept.md')).toContain('Edited.')
})

test('a Secret that somebody deletes is made anew: the next key goes through acceptance, and nothing restarts', async () => {
  verifies('operator.key-lost')
  const before = await incarnation()
  const { spec } = (await cluster.store.find(org.name))!
  await cluster.client.request({ method: 'DELETE', path: pathOf(kinds.secret, DAEMONS, `${org.name}-relay`) })

  // The operator checks a settled daemon once a minute, and then the kubelet takes a while again.
  const generation = spec.relay.acceptedGeneration + 1
  const accepted = (daemon: ManagedDaemon) =>
    onlyKey(generation)(daemon) && daemon.spec.relay.acceptedGeneration === generation
  const { status } = await cluster.reaches(org.name, 'the next key is in use', accepted, 240_000)
  expect(findCondition(status, 'KeyRotated')?.status).toBe('True')
  expect(await incarnation()).toEqual(before)

  // A restarted container has only the mounted key. Without a restart, the existing tunnel would hide a wrong key.
  await cluster.evaluate('process.kill(1, "SIGTERM"); console.log(1)', org)
  const restarted = async () => ((await incarnation()).restarts ?? 0) > (before.restarts ?? 0)
  await until('the container starts again', restarted, { withinMs: 90_000, everyMs: 250 })
  await cluster.reaches(org.name, 'settled', settled)
  browser = await cluster.enter(person, org)
  expect(await readNote('Kept.md')).toContain('Edited.')
}, 400_000)

test('it sleeps after a flush, with no pod and the volume kept, and an entry wakes it', async () => {
  verifies('operator.sleep-flushes', 'operator.truthful-end')
  const troubles: string[] = []
  const unwatch = cluster.store.watch((event) => {
    if (event.type !== 'upserted' || event.daemon.name !== org.name) return
    const { status, reason = '' } = findCondition(event.daemon.status, 'Degraded') ?? {}
    if (status === 'True') troubles.push(reason)
  })
  await cluster.reaches(
    org.name,
    'no trouble',
    (daemon) => findCondition(daemon.status, 'Degraded')?.status === 'False',
  )
  troubles.splice(0)
  expect((await saveNote('Last-words.md', 'written just before\n')).status).toBe(201)
  const answer = await administer('sleep', { operationId: 'cluster-sleep-1' })
  expect(answer.body, answer.text).toMatchObject({ ok: true, observedState: 'sleeping' })
  expect(troubles).toEqual([])
  unwatch()
  expect(await cluster.get(kinds.pod, org.pod)).toBeUndefined()
  await sameVolume()

  browser = await cluster.enter(person, org)
  expect(await readNote('Last-words.md')).toBe('written just before\n')
  await cluster.reaches(org.name, 'awake', settled)
})

test('a full volume is a typed failure that loses nothing, and growing it needs no restart', async () => {
  const bytes = { 'content-type': 'application/octet-stream', 'if-none-match': '*' }
  const chunk = 'x'.repeat(4 * 2 ** 20)
  const upload = (index: number) =>
    browser.send('PUT', `${vault}/attachments/filler-${index}.bin`, { body: chunk, headers: bytes })
  let answer = await upload(0)
  for (let index = 1; answer.status < 300 && index < 40; index++) answer = await upload(index)
  const full = { status: 507, body: { error: { code: 'storage_full' } } }
  expect(answer).toMatchObject(full)
  for (let index = 40; index < 44; index++) expect(await upload(index)).toMatchObject(full)
  const kept = await browser.get(`${vault}/notes/Kept.md`)
  // A note of this size does not fit into JSON, so the body is text. Its bytes are those of the quoted text.
  const large = await browser.send('PUT', `${vault}/notes/Kept.md`, {
    body: 'line of a large note\n'.repeat(300_000),
    headers: { 'content-type': 'text/markdown', 'if-match': `"${kept.body.note.baseline}"` },
  })
  expect(large).toMatchObject(full)
  expect(await readNote('Kept.md')).toContain('Edited.')

  const before = await incarnation()
  const grown = await administer('storage/grow', { operationId: 'cluster-grow-1', size: '128Mi' })
  expect(grown.body, grown.text).toMatchObject({ ok: true, size: '128Mi' })
  await cluster.reaches(
    org.name,
    'grown',
    (daemon) => settled(daemon) && daemon.status.storage?.capacityBytes === capacity,
  )
  const room = await cluster.evaluate<number>(
    `import { statfsSync } from 'node:fs'; const { blocks, bsize } = statfsSync(process.env.SVC_HOME); console.log(blocks * bsize)`,
    org,
  )
  expect(room).toBeGreaterThan(100 * 2 ** 20)
  expect((await saveNote('Kept.md', 'There is room again.\n')).status).toBe(200)
  expect(await incarnation()).toEqual(before)
})

test('deleting the organization removes all of it, including the volume', async () => {
  const deleted = await person.delete(`/api/orgs/${org.id}`, { name: org.title })
  expect(deleted.status, deleted.text).toBeLessThan(300)
  await until('the resource is gone', async () => (await cluster.store.find(org.name)) === undefined, {
    withinMs: 60_000,
  })
  for (const kind of [kinds.statefulSet, kinds.pod, kinds.service, kinds.serviceAccount, kinds.networkPolicy])
    expect(await cluster.get(kind, kind === kinds.pod ? org.pod : org.name)).toBeUndefined()
  await until('the volume is gone', async () => (await cluster.volume(org)) === undefined, { withinMs: 30_000 })
})

test('a resource deleted by hand leaves its volume, and is reinstalled on it', async () => {
  verifies('operator.resource-lost')
  const { person: keeper, org: kept } = await cluster.hosted('Retained')
  const before = await cluster.enter(keeper, kept)
  const note = { body: { content: 'Kept on the volume.\n' }, headers: { 'if-none-match': '*' } }
  expect((await before.send('PUT', `${vault}/notes/Kept.md`, note)).status).toBe(201)
  const claim = await cluster.volume(kept)
  expect((await cluster.store.find(kept.name))?.spec.deletionPolicy).toBe('retain')
  await cluster.store.remove(kept.name)
  await until('the resource is gone', async () => (await cluster.store.find(kept.name)) === undefined, {
    withinMs: 60_000,
  })
  await until('the pod is gone', async () => (await cluster.get(kinds.pod, kept.pod)) === undefined)
  const after = await cluster.volume(kept)
  expect(after?.metadata).toMatchObject({ uid: claim?.metadata.uid })
  expect(after?.metadata.deletionTimestamp).toBeUndefined()

  const answer = await administer('reinstall', { operationId: 'cluster-reinstall-1' }, kept)
  expect(answer.body, answer.text).toMatchObject({ ok: true, image: images.first, observedState: 'running' })
  await cluster.reaches(kept.name, 'settled', settled)
  expect((await cluster.volume(kept))?.metadata.uid).toBe(claim?.metadata.uid)
  const again = await cluster.enter(keeper, kept)
  expect((await again.get(`${vault}/notes/Kept.md`)).body.note.content).toBe('Kept on the volume.\n')
})
