import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { systemDisk, type Disk } from '../../daemon/src/files/disk/disk.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { until } from '../support/until.ts'

const VAULT = '/api/vaults/demo-vault'
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let agents = 0

/** A disk on which a rename of a folder of this name ends only when the watch has noticed that the folder is gone. */
let noticed: { name: string; isKnown: () => Promise<boolean> } | undefined
const disk: Disk = {
  ...systemDisk,
  async rename(from, to) {
    await systemDisk.rename(from, to)
    const { name, isKnown } = noticed ?? {}
    if (name === basename(from)) await until('the watch has noticed it', async () => !(await isKnown!()))
  },
}

beforeAll(async () => {
  daemon = await startRelayedDaemon({ disk })
})
afterAll(() => daemon.close())

const root = () => join(daemon.home, 'vaults/demo-vault')
const ok = async (path: string, options: Parameters<typeof daemon.local>[1]) => {
  const { status, text, body } = await daemon.local(`${VAULT}${path}`, options)
  expect([200, 201], `${path}: ${status} ${text}`).toContain(status)
  return body
}
const put = (path: string, content: string) => ok(`/notes/${path}`, { method: 'PUT', json: { content } })
async function attach(path: string, body: string) {
  const answer = await fetch(`${daemon.urls.local}${VAULT}/attachments/${path}`, { method: 'PUT', body })
  expect([200, 201], `${path}: ${await answer.text()}`).toContain(answer.status)
}
const move = (from: string, to: string) => ok('/move', { json: { from, to, dryRun: false } })

/** Every file and folder below `top`; folders end in a slash. */
async function found(top: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(join(root(), top), { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name)
    const path = full.slice(join(root(), top).length + 1)
    if (entry.isDirectory()) files[`${path}/`] = ''
    else files[path] = await readFile(full, 'utf8')
  }
  return files
}

/** A new agent for each test, so that only the changes of that test are reverted. */
async function newAgent() {
  const name = `Mover ${agents++}`
  const client = new Client({ name, version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.urls.local}/mcp`)))
  const tool = async (tool: string, args: object) => {
    const result = await client.callTool({ name: tool, arguments: { vaultId: 'demo-vault', ...args } })
    expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
  }
  const wish = { client: name, since: '2000-01-01T00:00:00Z' }
  const plan = async () => RevertResult.parse(await ok('/revert', { json: wish }))
  return {
    move: (from: string, to: string) => tool('move_note', { from, to }),
    attach: (path: string, text: string, baseline?: string) =>
      tool('write_attachment', { path, data: Buffer.from(text).toString('base64'), baseline }),
    trash: async (path: string) => {
      const { note } = (await ok(`/notes/${path}`, {})) as { note: { baseline: string } }
      await tool('delete_note', { path, permanent: false, baseline: note.baseline })
    },
    plan,
    /** Executes the planned revert, and expects that nothing is left to revert. */
    async revert() {
      const shown = await plan()
      const json = { ...wish, dryRun: false, review: shown.review }
      const done = RevertResult.parse(await ok('/revert', { json }))
      // Only the notes of a revert that is done have a baseline.
      expect(done.notes.map((note) => ({ ...note, baseline: undefined }))).toEqual(shown.notes)
      // Ambiguous passages (`edit`) are listed again in every plan.
      expect((await plan()).notes.filter(({ action }) => action !== 'edit')).toEqual([])
      return done
    },
  }
}

test('a folder that an agent moved comes back with its attachments, empty folders and settings', async () => {
  verifies('revert.folders')
  const agent = await newAgent()
  await put('one/x/a.md', 'a ![[p.png]]\n')
  await put('one/links.md', '[[x/a]] ![](x/deep/q.png)\n')
  await attach('one/x/p.png', 'p')
  await attach('one/x/deep/q.png', 'q')
  await ok('/folders/one/x/empty', { method: 'POST' })
  await writeFile(join(root(), '.svc/folders.yml'), 'folders:\n  one/x:\n    name: The X\n')
  const before = await found('one')
  const settings = () => readFile(join(root(), '.svc/folders.yml'), 'utf8')
  const settingsBefore = await settings()

  await agent.move('one/x', 'one/y')
  expect(Object.keys(await found('one'))).toContain('y/deep/q.png')
  expect(await settings()).toContain('one/y')
  const moved = await found('one')
  const shown = await agent.plan()
  expect(await found('one')).toEqual(moved)
  expect(shown.left).toEqual([])
  const back = shown.notes.filter(({ action }) => action === 'move_back').map(({ path, to }) => [path, to])
  expect(back.toSorted()).toEqual([
    ['one/y', 'one/x'],
    ['one/y/a.md', 'one/x/a.md'],
    ['one/y/deep', 'one/x/deep'],
    ['one/y/deep/q.png', 'one/x/deep/q.png'],
    ['one/y/empty', 'one/x/empty'],
    ['one/y/p.png', 'one/x/p.png'],
  ])
  await agent.revert()
  expect(await found('one')).toEqual(before)
  expect(await settings()).toBe(settingsBefore)
  const { entries } = (await ok('/audit?limit=50', {})) as { entries: { tool: string; path: string; to?: string }[] }
  expect(entries.filter(({ tool }) => tool === 'revert')).toContainEqual(
    expect.objectContaining({ path: 'one/y/p.png', to: 'one/x/p.png', outcome: 'done' }),
  )
})

test('an empty folder that the watch sees gone before its move is told comes back', async () => {
  verifies('revert.folders')
  const agent = await newAgent()
  await ok('/folders/seen/empty', { method: 'POST' })
  const isKnown = async () => JSON.stringify(await ok('/tree?path=seen', {})).includes('"seen/empty"')
  expect(await isKnown()).toBe(true)
  noticed = { name: 'empty', isKnown }
  await agent.move('seen/empty', 'seen/void')
  noticed = undefined
  await agent.revert()
  expect(await found('seen')).toEqual({ 'empty/': '' })
})

test('folders without notes, and an attachment alone, come back', async () => {
  verifies('revert.folders')
  const agent = await newAgent()
  await ok('/folders/two/empty', { method: 'POST' })
  await attach('two/pictures/p.png', 'p')
  await attach('two/alone.png', 'alone')
  await put('two/refers.md', '![[two/alone.png]]\n')
  const before = await found('two')
  await agent.move('two/empty', 'two/void')
  await agent.move('two/pictures', 'two/images')
  await agent.move('two/images', 'two/photos')
  await agent.move('two/alone.png', 'two/photos/renamed.png')
  await agent.revert()
  expect(await found('two')).toEqual(before)
})

test('what others changed, added or moved since stays, and is named', async () => {
  verifies('revert.folders', 'revert.keeps-people')
  const agent = await newAgent()
  for (const name of ['same', 'changed', 'moved', 'taken', 'gone']) await attach(`three/x/${name}.png`, name)
  await agent.move('three/x', 'three/y')
  await writeFile(join(root(), 'three/y/changed.png'), 'by a person')
  await writeFile(join(root(), 'three/y/added.png'), 'added')
  await move('three/y/moved.png', 'three/kept.png')
  await ok('/attachments/three/y/gone.png', { method: 'DELETE' })
  await mkdir(dirname(join(root(), 'three/x/taken.png')), { recursive: true })
  await attach('three/x/taken.png', 'by a person')
  const { left } = await agent.revert()
  expect(await found('three')).toEqual({
    'kept.png': 'moved',
    'x/': '',
    'x/same.png': 'same',
    'x/taken.png': 'by a person',
    'y/': '',
    'y/added.png': 'added',
    'y/changed.png': 'by a person',
    'y/taken.png': 'taken',
  })
  expect(left.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'three/kept.png', reason: 'others have moved it since' },
    { path: 'three/y/changed.png', reason: 'it has changed since it was moved' },
    { path: 'three/y/gone.png', reason: 'it is not there any more' },
    { path: 'three/y/taken.png', reason: 'its path is taken' },
  ])
})

test('a folder in which others have something stays beside the one that comes back', async () => {
  verifies('revert.folders')
  const agent = await newAgent()
  await attach('four/x/p.png', 'p')
  await agent.move('four/x', 'four/y')
  await attach('four/y/theirs.png', 'theirs')
  const { left } = await agent.revert()
  expect(await found('four')).toEqual({ 'x/': '', 'x/p.png': 'p', 'y/': '', 'y/theirs.png': 'theirs' })
  expect(left).toEqual([
    { path: 'four/y', reason: 'it stays beside the one that comes back, since there is something else in it' },
  ])
})

test('folders that a move made above its target leave with what was moved there, unless others use them', async () => {
  verifies('revert.folders')
  const agent = await newAgent()
  await put('six/a.md', 'a\n')
  await attach('six/p.png', 'p')
  await attach('six/x/q.png', 'q')
  await attach('six/theirs.png', 'theirs')
  const before = await found('six')
  await agent.move('six/a.md', 'six/new/deep/a.md')
  await agent.move('six/p.png', 'six/other/p.png')
  await agent.move('six/x', 'six/new/moved/x')
  await agent.move('six/theirs.png', 'six/kept/theirs.png')
  await ok('/folders/six/new/byaperson', { method: 'POST' })
  await attach('six/kept/mine.png', 'mine')
  await agent.revert()
  expect(await found('six')).toEqual({
    ...before,
    'new/': '',
    'new/byaperson/': '',
    'kept/': '',
    'kept/mine.png': 'mine',
  })
  const { tree } = (await ok('/tree?path=six&depth=3', {})) as { tree: { folders: { path: string }[] } }
  expect(JSON.stringify(tree)).not.toContain('six/other')
})

test('an attachment that an agent made goes to the trash; what others changed, and what it replaced, is named', async () => {
  verifies('revert.attachments')
  const agent = await newAgent()
  await attach('seven/old.bin', 'by a person')
  await agent.attach('seven/made.bin', 'made')
  await agent.attach('seven/moved.bin', 'moved')
  await agent.move('seven/moved.bin', 'seven/on.bin')
  await agent.attach('seven/changed.bin', 'by the agent')
  await agent.attach('seven/twice.bin', 'one')
  const baselineOf = async (path: string) => {
    const { headers } = await fetch(`${daemon.urls.local}${VAULT}/attachments/${path}`)
    return headers.get('etag')!.replaceAll('"', '')
  }
  await agent.attach('seven/twice.bin', 'two', await baselineOf('seven/twice.bin'))
  await agent.attach('seven/old.bin', 'by the agent', await baselineOf('seven/old.bin'))
  await writeFile(join(root(), 'seven/changed.bin'), 'by a person')
  const { notes, left } = await agent.revert()
  expect(notes.map(({ path, action }) => [action, path]).toSorted()).toEqual([
    ['trash', 'seven/made.bin'],
    ['trash', 'seven/on.bin'],
    ['trash', 'seven/twice.bin'],
  ])
  expect(left.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'seven/changed.bin', reason: 'others have changed it since it was created' },
    { path: 'seven/old.bin', reason: 'its earlier content was not kept' },
  ])
  expect(await found('seven')).toEqual({ 'old.bin': 'by the agent', 'changed.bin': 'by a person' })
  const { entries } = (await ok('/trash', {})) as { entries: { path: string; kind: string }[] }
  expect(entries.filter(({ path }) => path.startsWith('seven/')).map(({ path, kind }) => [path, kind])).toEqual(
    expect.arrayContaining([['seven/made.bin', 'attachment']]),
  )
})

test('attachments that an author deleted come back from the trash, where they were before that author moved them', async () => {
  verifies('revert.attachments')
  const person = daemon.person('admin')
  const others = daemon.person('admin')
  const remove = async (path: string, permanent = '') => {
    const answer = await person.call(`${VAULT}/attachments/${path}${permanent}`, { method: 'DELETE' })
    expect(answer.status, answer.text).toBe(200)
  }
  for (const name of ['a', 'moved', 'erased', 'forgood', 'restored', 'taken', 'theirs'])
    await attach(`eight/${name}.png`, name)
  await attach('eight/folder/in.png', 'in')
  const since = new Date(Date.now() - 3_600_000).toISOString()
  await remove('eight/a.png')
  const json = { from: 'eight/moved.png', to: 'eight/on.png', dryRun: false }
  expect((await person.call(`${VAULT}/move`, { json })).status).toBe(200)
  for (const name of ['on', 'erased', 'restored', 'taken']) await remove(`eight/${name}.png`)
  await remove('eight/forgood.png', '?permanent=true')
  expect((await person.call(`${VAULT}/folders/eight/folder`, { method: 'DELETE' })).status).toBe(200)
  expect((await others.call(`${VAULT}/attachments/eight/theirs.png`, { method: 'DELETE' })).status).toBe(200)
  const { entries } = (await ok('/trash', {})) as { entries: { id: string; path: string }[] }
  const idOf = (path: string) => entries.find((entry) => entry.path === path)!.id
  await ok(`/trash/${idOf('eight/erased.png')}`, { method: 'DELETE' })
  await ok(`/trash/${idOf('eight/restored.png')}/restore`, { json: {} })
  await attach('eight/taken.png', 'another')

  const wish = { actor: person.id, since }
  const shown = RevertResult.parse(await ok('/revert', { json: wish }))
  const mine = shown.notes.filter(({ path }) => path.startsWith('eight/'))
  expect(mine.map(({ path, to, action }) => [action, path, to]).toSorted()).toEqual([
    ['bring_back', 'eight/a.png', undefined],
    ['bring_back', 'eight/on.png', 'eight/moved.png'],
  ])
  expect(shown.left.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'eight/erased.png', reason: 'it was deleted for good' },
    { path: 'eight/folder/in.png', reason: 'it is in the trash with its folder, which can be restored' },
    { path: 'eight/forgood.png', reason: 'it was deleted for good' },
    { path: 'eight/taken.png', reason: 'its path is taken' },
  ])
  await ok('/revert', { json: { ...wish, dryRun: false, review: shown.review } })
  expect(await found('eight')).toEqual({
    'a.png': 'a',
    'moved.png': 'moved',
    'restored.png': 'restored',
    'taken.png': 'another',
  })
  const after = (await ok('/trash', {})) as { entries: { path: string }[] }
  const inTrash = after.entries.map(({ path }) => path).filter((path) => path.startsWith('eight/'))
  expect(inTrash.toSorted()).toEqual(['eight/folder', 'eight/taken.png', 'eight/theirs.png'])
  expect(RevertResult.parse(await ok('/revert', { json: wish })).notes).toEqual([])
})

test('a note that an agent moved and then deleted comes back where it was before', async () => {
  verifies('revert.folders')
  const agent = await newAgent()
  await put('five/a.md', 'a\n')
  await put('five/b.md', 'b\n')
  const before = await found('five')
  await agent.move('five/a.md', 'five/moved-a.md')
  await agent.trash('five/moved-a.md')
  await agent.move('five/b.md', 'five/moved-b.md')
  await agent.trash('five/moved-b.md')
  await put('five/b.md', 'by a person\n')
  const { notes } = await agent.revert()
  expect(notes.map(({ path, action, to }) => [path, action, to]).toSorted()).toEqual([
    ['five/moved-a.md', 'bring_back', 'five/a.md'],
    ['five/moved-b.md', 'bring_back', undefined],
  ])
  // If the old path of a note is taken, the note comes back at the last path that it had.
  expect(await found('five')).toEqual({ ...before, 'b.md': 'by a person\n', 'moved-b.md': 'b\n' })
})

test('notes below a folder whose name another program decomposed come back to it', async () => {
  verifies('revert.folders')
  const agent = await newAgent()
  const folder = 'mac/cafe\u0301'
  await mkdir(join(root(), folder), { recursive: true })
  const at = folder.split('/').map(encodeURIComponent).join('/')
  await put(`${at}/moved.md`, 'moved\n')
  await put(`${at}/gone.md`, 'gone\n')
  const before = await found('mac')
  expect(Object.keys(before)).toContain('cafe\u0301/gone.md')

  await agent.move(`${folder}/moved.md`, 'mac/elsewhere.md')
  await agent.trash(`${folder}/gone.md`)
  await agent.revert()
  expect(await found('mac')).toEqual(before)
})
