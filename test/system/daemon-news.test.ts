import { rm, writeFile, appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { NewsAnswer } from '@svc/shared/wire/daemon/daemon-news.api.ts'
import { VaultList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon, type RelayedPerson } from '../support/relayed-daemon.ts'
import { call, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const VAULT = '/api/vaults/demo-vault'
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let ann: RelayedPerson
let ben: RelayedPerson
let agent: Client

beforeAll(async () => {
  daemon = await startRelayedDaemon()
  agent = new Client({ name: 'Archivist', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${daemon.urls.local}/mcp`)))
})
afterAll(async () => {
  await agent.close()
  await daemon.close()
})
beforeEach(async () => {
  ann = daemon.person('member')
  ben = daemon.person('member')
  await news(ann)
})

async function news(person: Pick<RelayedPerson, 'call'>, query = '') {
  const answer = await person.call(`${VAULT}/news${query}`)
  expect(answer.status, answer.text).toBe(200)
  return NewsAnswer.parse(answer.body).news
}
const counts = async (person: RelayedPerson) =>
  Object.fromEntries((await news(person)).by.map(({ author, notes }) => [author.name, notes]))
const changedPaths = async (person: RelayedPerson) => (await news(person)).changed.map(({ path }) => path)

async function write(person: RelayedPerson, path: string, content: string): Promise<string> {
  const answer = await person.call(`${VAULT}/notes/${path}`, {
    method: 'PUT',
    headers: { 'if-match': '*' },
    json: { content },
  })
  if (answer.status !== 404) return (answer.body as { note: { baseline: string } }).note.baseline
  const created = await person.call(`${VAULT}/notes/${path}`, { method: 'PUT', json: { content } })
  expect(created.status).toBe(201)
  return (created.body as { note: { baseline: string } }).note.baseline
}
const markRead = (person: RelayedPerson, path: string, baseline: string) =>
  person.call(`${VAULT}/readings/${path}`, { method: 'PUT', json: { baseline } })

test('news counts the notes that people and agents changed since the caller last read them', async () => {
  verifies('news.since-read')
  const baseline = await write(ben, 'news/a.md', 'by ben\n')
  await write(ben, 'news/b.md', 'by ben\n')
  const created = { vaultId: 'demo-vault', path: 'news/c.md', content: 'by an agent\n' }
  expect((await agent.callTool({ name: 'create_note', arguments: created })).isError ?? false).toBe(false)
  await writeFile(join(daemon.home, 'vaults/demo-vault/news/d.md'), 'by an editor\n')
  await until('the outside edit is seen', async () => (await changedPaths(ann)).includes('news/d.md'))

  const found = await news(ann)
  expect(await counts(ann)).toEqual({ member: 2, Archivist: 1, 'Outside edit': 1 })
  expect(found.by[0]).toEqual({ author: { kind: 'person', id: ben.id, name: 'member' }, notes: 2 })
  expect(found.notes).toBe(4)
  expect(found.changed.map(({ path }) => path).toSorted()).toEqual(['news/a.md', 'news/b.md', 'news/c.md', 'news/d.md'])
  expect((await news(ann, '?limit=1')).changed).toHaveLength(1)
  expect((await news(ann, '?limit=1')).notes).toBe(4)

  expect((await markRead(ann, 'news/a.md', baseline)).status).toBe(200)
  expect(await counts(ann)).toEqual({ member: 1, Archivist: 1, 'Outside edit': 1 })
  await write(ann, 'news/b.md', 'ann answers\n')
  expect(await counts(ann)).toEqual({ Archivist: 1, 'Outside edit': 1 })
  await write(ben, 'news/a.md', 'ben again\n')
  expect(await counts(ann)).toEqual({ Archivist: 1, 'Outside edit': 1, member: 1 })

  expect((await ann.call(`${VAULT}/readings`, { method: 'PUT', json: {} })).status).toBe(200)
  expect(await news(ann)).toMatchObject({ notes: 0, by: [], changed: [] })
})

test('a person who read an older text gets later changes as news; an unknown text is refused', async () => {
  verifies('news.since-read')
  const first = await write(ben, 'older.md', 'one\n')
  await write(ben, 'older.md', 'two\n')
  expect((await markRead(ann, 'older.md', first)).status).toBe(200)
  expect(await changedPaths(ann)).toEqual(['older.md'])
  const refused = await markRead(ann, 'older.md', '0'.repeat(24))
  expect([refused.status, (refused.body as { error: { code: string } }).error.code]).toEqual([409, 'stale_doc'])
  expect((await markRead(ann, 'never.md', first)).status).toBe(404)
  expect((await ann.call(`${VAULT}/readings/older.md`, { method: 'PUT', json: {} })).status).toBe(400)
})

test('news and readings move with their note; a deleted note is no news', async () => {
  verifies('news.since-read')
  const read = await write(ben, 'move/read.md', 'one\n')
  await write(ben, 'move/new.md', 'one\n')
  await write(ben, 'move/gone.md', 'one\n')
  await markRead(ann, 'move/read.md', read)
  expect((await ben.call(`${VAULT}/move`, { json: { from: 'move', to: 'moved' } })).status).toBe(200)
  expect((await changedPaths(ann)).toSorted()).toEqual(['moved/gone.md', 'moved/new.md'])
  await ben.call(`${VAULT}/notes/moved/gone.md`, { method: 'DELETE', headers: { 'if-match': '*' } })
  expect(await changedPaths(ann)).toEqual(['moved/new.md'])
})

test('a list of vaults shows notes, the newest change and the caller’s news', async () => {
  verifies('vaults.list-activity')
  await write(ben, 'listed.md', 'new\n')
  await until('the vault is indexed', async () => (await daemon.local('/api/ready')).status === 200)
  const [vault] = VaultList.parse((await daemon.local('/api/vaults')).body).vaults
  const info = (await daemon.local(VAULT)).body as { vault: { notes: number } }
  expect(vault?.notes).toBe(info.vault.notes)
  expect(vault?.changedBy).toEqual({ kind: 'person', id: ben.id, name: 'member' })
  expect(Date.now() - Date.parse(vault!.changedAt!)).toBeLessThan(600_000)
  expect(vault?.news).toEqual([])
  await write(ben, 'listed.md', 'newer\n')
  const [again] = VaultList.parse((await daemon.local('/api/vaults')).body).vaults
  expect(again?.news).toEqual([{ author: { kind: 'person', id: ben.id, name: 'member' }, notes: 1 }])
})

test('news and readings survive a kill, a damaged line and a lost file', async () => {
  verifies('news.durable')
  const svcd = await startSvcd()
  const put = (path: string, options: object) =>
    call(svcd, `/api/vaults/demo-vault/${path}`, { method: 'PUT', ...options })
  const outsideNews = async () =>
    NewsAnswer.parse((await call(svcd, '/api/vaults/demo-vault/news')).body).news.changed.map(({ path }) => path)
  try {
    expect(await outsideNews()).toEqual([])
    await writeFile(svcd.file('demo-vault', 'one.md'), 'one\n')
    await writeFile(svcd.file('demo-vault', 'two.md'), 'two\n')
    await until('both are news', async () => (await outsideNews()).length === 2)
    const { baseline } = (
      (await call(svcd, '/api/vaults/demo-vault/notes/one.md')).body as { note: { baseline: string } }
    ).note
    expect((await put('readings/one.md', { json: { baseline } })).status).toBe(200)
    await svcd.kill()
    await appendFile(join(svcd.home, 'daemon/news/demo-vault.jsonl'), '{"kind":"changed","path":"torn')
    await svcd.restart()
    expect(await outsideNews()).toEqual(['two.md'])
    await svcd.stop()
    await rm(join(svcd.home, 'daemon/news'), { recursive: true })
    await svcd.restart()
    expect(await outsideNews()).toEqual([])
    expect((await put('readings', { json: {} })).status).toBe(200)
  } finally {
    await svcd.remove()
  }
})
