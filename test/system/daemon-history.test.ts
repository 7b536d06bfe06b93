import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { AuthorsAnswer, HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { verifies } from '../requirements.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let daemon: Svcd
afterEach(() => daemon.remove())

const ready = () => until('everything is indexed', async () => (await call(daemon, '/api/ready')).status === 200)
const history = async (path: string, query = '') =>
  HistoryAnswer.parse((await call(daemon, `/api/vaults/v/history/${path}${query}`)).body)
const put = async (path: string, content: string, headers: Record<string, string> = {}) => {
  const answer = await call(daemon, `/api/vaults/v/notes/${path}`, { method: 'PUT', json: { content }, headers })
  return answer.headers.get('etag') ?? ''
}

async function startWith(files: Record<string, string>): Promise<string> {
  const home = await newHome()
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  for (const [path, content] of Object.entries(files)) await writeFile(join(home, 'vaults/v', path), content)
  daemon = await startSvcd({ home })
  await ready()
  return home
}

test('revisions by author, their text and difference, and back to one', async () => {
  verifies('service.history', 'history.restore')
  await startWith({ 'a "b" é.md': 'one\r\n', '.gitattributes': '* text=auto\n', '.gitignore': '*.md\n' })
  const path = encodeURIComponent('a "b" é.md')
  await until('the first import is there', async () => (await history(path)).revisions?.length === 1)

  const etag = (await call(daemon, `/api/vaults/v/notes/${path}`)).headers.get('etag') ?? ''
  const second = await put(path, 'two\r\n', { 'if-match': etag })
  const { revisions = [], state } = await history(path)
  expect(state).toBe('ready')
  expect(revisions.map(({ author }) => author.id)).toEqual(['local', 'outside'])

  const [newest, oldest] = revisions
  expect((await history(path, `?rev=${oldest?.rev}`)).content).toBe('one\r\n')
  const { diff } = await history(path, `?from=${oldest?.rev}&to=${newest?.rev}`)
  expect(diff).toMatch(/-one\r?\n\+two/)

  const url = `/api/vaults/v/history/${path}/restore`
  expect((await call(daemon, url, { json: { rev: oldest?.rev, baseline: '0' } })).status).toBe(409)
  const restored = await call(daemon, url, { json: { rev: oldest?.rev, baseline: second.slice(1, -1) } })
  expect([restored.status, restored.headers.get('etag')]).toEqual([200, etag])

  expect((await call(daemon, `/api/vaults/v/history/${path}?rev=--all`)).status).toBe(400)
  expect((await call(daemon, `/api/vaults/v/history/${path}?rev=0000000`)).status).toBe(404)
  expect((await call(daemon, `/api/vaults/v/history/${path}?from=${oldest?.rev}`)).status).toBe(400)
  expect((await call(daemon, '/api/vaults/v/history/../x.md')).status).toBeGreaterThanOrEqual(400)
  expect((await history('never.md')).revisions).toEqual([])
})

test('the history of a path that a note has left says where it is now, until it is deleted or another note comes', async () => {
  verifies('history.moved-to')
  await startWith({ 'a.md': 'a note\n' })
  await until('the first import is there', async () => (await history('a.md')).revisions?.length === 1)
  const move = async (from: string, to: string) =>
    expect((await call(daemon, '/api/vaults/v/move', { json: { from, to } })).status).toBe(200)
  await move('a.md', 'b.md')
  await move('b.md', 'sub/c.md')
  expect((await history('a.md')).movedTo).toBe('sub/c.md')
  expect((await history('b.md')).movedTo).toBe('sub/c.md')
  expect((await history('sub/c.md')).movedTo).toBeUndefined()
  expect((await history('never.md')).movedTo).toBeUndefined()

  await put('a.md/inner.md', 'a note in a folder of that name\n', { 'if-none-match': '*' })
  const inner = await call(daemon, '/api/vaults/v/notes/a.md/inner.md')
  const ifMatch = { 'if-match': inner.headers.get('etag') ?? '' }
  await call(daemon, '/api/vaults/v/notes/a.md/inner.md', { method: 'DELETE', headers: ifMatch })
  await until('the deletion is there', async () => (await history('a.md/inner.md')).revisions?.length === 2)
  expect((await history('a.md')).movedTo).toBe('sub/c.md')

  await put('b.md', 'another note\n', { 'if-none-match': '*' })
  expect((await history('b.md')).movedTo).toBeUndefined()
  const etag = (await call(daemon, '/api/vaults/v/notes/sub/c.md')).headers.get('etag') ?? ''
  await call(daemon, '/api/vaults/v/notes/sub/c.md', { method: 'DELETE', headers: { 'if-match': etag } })
  expect((await history('a.md')).movedTo).toBeUndefined()
})

test('nobody is said to have written what a vault held before its history', async () => {
  verifies('authors.found')
  const home = await startWith({ 'old.md': 'one\ntwo\n' })
  const authors = async () => {
    const { body } = await call(daemon, '/api/vaults/v/authors/old.md')
    return AuthorsAnswer.parse(body).note.runs.map(({ line, lines, author }) => [line, lines, author?.id])
  }
  await until('the first import is there', async () => (await history('old.md')).revisions?.length === 1)
  expect(await authors()).toEqual([[1, 2, undefined]])
  // In one step: a file that the daemon sees half written would be a revision of its own.
  await writeFile(join(home, 'new.md'), 'one\nnew\ntwo\n')
  await rename(join(home, 'new.md'), join(home, 'vaults/v/old.md'))
  await until('the edit is there', async () => (await history('old.md')).revisions?.length === 2)
  expect(await authors()).toEqual([
    [1, 1, undefined],
    [2, 1, 'outside'],
    [3, 1, undefined],
  ])
})

test('an edit that comes before the first import leaves the note as it was found in the history', async () => {
  verifies('history.found-first')
  const programs = await mkdtemp(join(tmpdir(), 'svc-programs-'))
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  const edited = join(programs, 'edited')
  const waiting = `#!/bin/sh\nwhile [ ! -e ${edited} ]; do sleep 0.1; done\nexec ${git} "$@"\n`
  await writeFile(join(programs, 'git'), waiting, { mode: 0o755 })
  const home = await newHome()
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  for (const name of ['edited', 'other']) await writeFile(join(home, `vaults/v/${name}.md`), 'one\ntwo\n')
  daemon = await startSvcd({ home, env: { PATH: `${programs}:${process.env['PATH']}` } })
  await put('edited.md', 'one\nnew\n', { 'if-match': '*' })
  await writeFile(edited, '')

  await until('both are in the history', async () => (await history('other.md')).revisions?.length === 1)
  const { revisions = [] } = await history('edited.md')
  expect(revisions.map(({ author }) => author.id)).toEqual(['local', 'outside'])
  expect((await history('edited.md', `?rev=${revisions[1]?.rev}`)).content).toBe('one\ntwo\n')
  const authors = async (path: string) => {
    const { body } = await call(daemon, `/api/vaults/v/authors/${path}`)
    return AuthorsAnswer.parse(body).note.runs.map(({ line, author }) => [line, author?.id])
  }
  expect(await authors('edited.md')).toEqual([
    [1, undefined],
    [2, 'local'],
  ])
  expect(await authors('other.md')).toEqual([[1, undefined]])
  await removeFolder(programs)
})

test('a deleted note is restored, and changes made while no daemon ran are found at the next start', async () => {
  const home = await startWith({ 'a.md': 'alpha\n', 'b.md': 'beta\n', 'c.md': 'gamma\n', 'd.md': 'delta\n' })
  await until('the first import is there', async () => (await history('a.md')).revisions?.length === 1)
  await call(daemon, '/api/vaults/v/notes/a.md', { method: 'DELETE' })
  const { revisions = [] } = await history('a.md')
  expect(revisions).toHaveLength(2)
  const back = await call(daemon, '/api/vaults/v/history/a.md/restore', { json: { rev: revisions[1]?.rev } })
  expect(back.status).toBe(201)
  expect((await call(daemon, '/api/vaults/v/notes/a.md', { headers: { accept: 'text/markdown' } })).text).toBe(
    'alpha\n',
  )

  await put('b.md', 'last words\n', { 'if-match': '*' })
  await daemon.kill()
  await writeFile(join(home, 'vaults/v/c.md'), 'changed\n')
  await rm(join(home, 'vaults/v/d.md'))
  await daemon.restart()
  await ready()
  for (const path of ['b.md', 'c.md', 'd.md'])
    await until(`it has caught up with ${path}`, async () => (await history(path)).revisions?.length === 2)
  const count = execFileSync('git', [`--git-dir=${join(home, 'daemon/history/v.git')}`, 'fsck', '--strict'], {
    encoding: 'utf8',
  })
  expect(count).not.toMatch(/error|missing/)
})

test('without git there is no history, and everything else works', async () => {
  const home = await newHome()
  daemon = await startSvcd({ home, env: { PATH: join(home, 'nowhere') } })
  const url = '/api/vaults/demo-vault'
  expect((await call(daemon, `${url}/notes/x.md`, { method: 'PUT', json: { content: 'x' } })).status).toBe(201)
  await until(
    'it is known',
    async () => (await call<{ state: string }>(daemon, `${url}/history/x.md`)).body.state === 'unavailable',
  )
  expect((await call(daemon, `${url}/history/x.md`)).body).toMatchObject({ ok: true, revisions: [] })
  expect(await daemon.stop()).toBe(0)
})
