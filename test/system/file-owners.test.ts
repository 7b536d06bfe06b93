import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'

const VAULT = '/api/vaults/owned'
// Only root may give files away. Anybody may give a file to a group that they are in.
const isRoot = process.getuid!() === 0
const owner = isRoot ? 54_321 : process.getuid!()
const group = isRoot ? 54_322 : (process.getgroups!().at(-1) ?? process.getgid!())

let daemon: Svcd
let agent: Client
beforeEach(async () => {
  const home = await newHome()
  await mkdir(join(home, 'vaults/owned/folder'), { recursive: true })
  for (const path of ['', 'folder']) await chown(join(home, 'vaults/owned', path), owner, group)
  daemon = await startSvcd({ home })
  agent = new Client({ name: 'Archivist', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)))
})
afterEach(async () => {
  await agent.close()
  await daemon.remove()
})

const put = async (path: string, content: string) => {
  const { headers } = await call(daemon, `${VAULT}/notes/${path}`)
  const etag = headers.get('etag')
  const answer = await call(daemon, `${VAULT}/notes/${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'text/markdown', ...(etag === null ? { 'if-none-match': '*' } : { 'if-match': etag }) },
    body: content,
  })
  expect(answer.status, answer.text).toBeLessThan(300)
}
const tool = async (name: string, args: Record<string, unknown>) => {
  const result = await agent.callTool({ name, arguments: { vaultId: 'owned', ...args } })
  expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
}
const edit = async (path: string, oldText: string, newText: string) => {
  const { body } = await call<{ note: { baseline: string } }>(daemon, `${VAULT}/notes/${path}`)
  await tool('edit_note', { path, baseline: body!.note.baseline, edits: [{ oldText, newText }] })
}
const at = (path: string) => daemon.file('owned', path)
const give = async (path: string, mode: number) => {
  await chown(at(path), owner, group)
  await chmod(at(path), mode)
}
const accessOf = async (path: string) => {
  const { uid, gid, mode } = await stat(at(path))
  return { uid, gid, mode: mode & 0o7777 }
}
const theirs = (mode: number) => ({ uid: owner, gid: group, mode })
const madeBy = isRoot ? { uid: owner, gid: group } : { uid: owner }

test('a save, a move and a revert keep owner, group and mode of a file, but no setuid bit', async () => {
  verifies('notes.owner-kept')
  await put('edited.md', 'one\n')
  await put('links.md', 'see [[folder/old]] and [[old picture.png]]\n')
  await put('folder/old.md', 'a note with a link to [[edited]]\n')
  await put('gone.md', 'words\n')
  await give('edited.md', 0o640)
  await give('links.md', 0o664)
  await give('folder/old.md', 0o600)
  await chown(at('gone.md'), owner, group)
  await chown(at('edited.md'), owner, group)
  await chmod(at('edited.md'), 0o4640)

  await edit('edited.md', 'one', 'two')
  expect(await accessOf('edited.md')).toEqual(theirs(0o640))
  await tool('move_note', { from: 'folder/old.md', to: 'folder/new.md' })
  expect(await accessOf('links.md')).toEqual(theirs(0o664))
  expect(await accessOf('folder/new.md')).toEqual(theirs(0o600))
  await tool('delete_note', {
    path: 'gone.md',
    permanent: false,
    baseline: (await call<{ note: { baseline: string } }>(daemon, `${VAULT}/notes/gone.md`)).body!.note.baseline,
  })
  const { status, text } = await call(daemon, `${VAULT}/revert`, {
    json: { client: 'Archivist', since: '2000-01-01T00:00:00Z', dryRun: false },
  })
  expect(status, text).toBe(200)
  expect(await accessOf('edited.md')).toEqual(theirs(0o640))
  expect(await accessOf('links.md')).toEqual(theirs(0o664))
  expect(await accessOf('folder/old.md')).toEqual(theirs(0o600))
  expect(await accessOf('gone.md')).toMatchObject(madeBy)

  const upload = (body: string) => call(daemon, `${VAULT}/attachments/a.png`, { method: 'PUT', body })
  expect((await upload('first')).status).toBe(201)
  await give('a.png', 0o604)
  const { headers } = await call(daemon, `${VAULT}/attachments/a.png`)
  const again = await call(daemon, `${VAULT}/attachments/a.png`, {
    method: 'PUT',
    headers: { 'if-match': headers.get('etag')! },
    body: 'second',
  })
  expect(again.status).toBe(200)
  expect(await accessOf('a.png')).toEqual(theirs(0o604))
})

test('new files and folders belong to the owner of their folder when the daemon runs as root', async () => {
  verifies('notes.owner-kept')
  await put('note.md', 'new\n')
  await put('deep/er/note.md', 'new\n')
  await call(daemon, `${VAULT}/attachments/pictures/a.png`, { method: 'PUT', body: 'picture' })
  await tool('create_note', { path: 'folder/by agent.md', content: 'new\n' })
  await tool('move_note', { from: 'note.md', to: 'elsewhere/note.md' })
  for (const path of await readdir(at(''), { recursive: true }))
    expect(await accessOf(path), path).toMatchObject(madeBy)
})

test('a vault that is created or imported belongs to the owner of the folder of vaults', async () => {
  verifies('notes.owner-kept')
  await put('folder/note.md', 'old\n')
  await chown(join(daemon.home, 'vaults'), owner, group)
  const created = await call(daemon, '/api/vaults', { json: { slug: 'created', displayName: 'Created' } })
  expect(created.status, created.text).toBe(201)
  const exported = await fetch(`${daemon.url}${VAULT}/export`)
  const imported = await call(daemon, '/api/vaults/import?slug=imported&displayName=Imported', {
    method: 'POST',
    headers: { 'content-type': 'application/zip' },
    body: Buffer.from(await exported.arrayBuffer()),
  })
  expect(imported.status, imported.text).toBe(201)
  for (const vault of ['created', 'imported']) {
    const paths = ['', ...(await readdir(daemon.file(vault, ''), { recursive: true }))]
    expect(paths.length).toBeGreaterThan(3)
    for (const path of paths) expect(await stat(daemon.file(vault, path)), path).toMatchObject(madeBy)
  }
})
