import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { z } from 'zod'
import { DeletedNotes, HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { TrashList } from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// What people and agents do in a vault that the daemon has not listed yet, as after the wake of a daemon with a large
// vault. The vault has a history from before.

const NOTES = 30
const preload = new URL('../support/held-listing.ts', import.meta.url).href

let home: string
let daemon: Svcd
beforeEach(async () => {
  home = await newHome()
  for (let number = 0; number < NOTES; number++) await write(`folder/${number}.md`, `# Note ${number}\n`)
  await write('top.md', 'top\n')
  await write('picture.png', 'picture')
  daemon = await startSvcd({ home })
  await until('all is in the history', async () => (await revisions('top.md')).length === 1)
})
afterEach(() => daemon.remove())

const at = (path: string) => join(home, 'vaults/v', path)
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true })
  await writeFile(at(path), text)
}
const api = (path: string, options?: Parameters<typeof call>[2]) => call(daemon, `/api/vaults/v${path}`, options)
const revisions = async (path: string) => HistoryAnswer.parse((await api(`/history/${path}`)).body).revisions ?? []
const trash = async () => TrashList.parse((await api('/trash')).body).entries
const deleted = async () => DeletedNotes.parse((await api('/deleted')).body).notes.map(({ path }) => path)

/** Starts the daemon again, without an index: with one, another process may list the vault, which is not held. */
async function restartHeld(): Promise<void> {
  await daemon.stop()
  await rm(join(home, 'daemon/index'), { recursive: true, force: true })
  const held = { HELD_FOLDER: join(home, 'vaults/v'), HELD_UNTIL: join(home, 'released') }
  daemon = await startSvcd({ home, env: { ...held, NODE_OPTIONS: `--import=${preload}` } })
}

/** Lets the daemon list the vault once a request has had the time to go wrong. */
async function listedAfter<Answer>(request: Promise<Answer>): Promise<Answer> {
  await Promise.race([request, systemClock.sleep(4000)])
  await writeFile(join(home, 'released'), '')
  return request
}

const isRead = () => until('the vault is read', async () => (await call(daemon, '/api/ready')).status === 200)

async function revert(): Promise<z.infer<typeof RevertResult>> {
  const wish = { actor: 'local', since: '2000-01-01T00:00:00Z', dryRun: false }
  const { status, body } = await api('/revert', { json: wish })
  expect(status).toBe(200)
  return RevertResult.parse(body)
}

test('a folder that is removed before the vault is listed is removed by its remover, with all its notes', async () => {
  verifies('vault.early-changes', 'vault.soft-delete')
  await restartHeld()
  const removal = await listedAfter(api('/folders/folder', { method: 'DELETE' }))
  expect(removal.body).toEqual({ ok: true, path: 'folder', trashed: true })
  await isRead()
  for (const number of [0, NOTES - 1]) {
    const path = `folder/${number}.md`
    await until(`the removal of ${path} is in the history`, async () => (await revisions(path)).length === 2)
    expect((await revisions(path)).map(({ author }) => author.kind)).toEqual(['local', 'outside'])
  }
  expect((await trash()).map(({ path }) => path)).toEqual(['folder'])
  expect(await deleted()).toEqual([])
  expect(daemon.output()).not.toContain('many files are gone at once')
})

test('a note and an attachment that are removed before the vault is listed come back by a revert', async () => {
  verifies('vault.early-changes', 'revert.attachments')
  await restartHeld()
  const paths = ['/notes/top.md', '/attachments/picture.png']
  const removals = await listedAfter(Promise.all(paths.map((path) => api(path, { method: 'DELETE' }))))
  expect(removals.map(({ status }) => status)).toEqual([200, 200])
  await isRead()
  expect((await trash()).map(({ path }) => path).toSorted()).toEqual(['picture.png', 'top.md'])
  expect(await deleted()).toEqual([])
  expect((await revert()).left).toEqual([])
  expect([await readFile(at('top.md'), 'utf8'), await readFile(at('picture.png'), 'utf8')]).toEqual([
    'top\n',
    'picture',
  ])
})

test('a revert before the vault is listed takes attachments and folders along', async () => {
  verifies('vault.early-changes', 'revert.attachments')
  expect((await api('/move', { json: { from: 'picture.png', to: 'moved/picture.png' } })).status).toBe(200)
  await restartHeld()
  expect((await listedAfter(revert())).left).toEqual([])
  expect([existsSync(at('moved')), await readFile(at('picture.png'), 'utf8')]).toEqual([false, 'picture'])
})

test('an edit before the vault is listed is one revision, and no creation by another program', async () => {
  verifies('vault.early-changes', 'history.found-first')
  const { baseline } = ((await api('/notes/top.md')).body as { note: { baseline: string } }).note
  await restartHeld()
  const headers = { 'if-match': `"${baseline}"` }
  const put = await listedAfter(api('/notes/top.md', { method: 'PUT', headers, json: { content: 'edited\n' } }))
  expect(put.status).toBe(200)
  await isRead()
  await until('the edit is in the history', async () => (await revisions('top.md')).length > 1)
  expect((await revisions('top.md')).map(({ author }) => author.kind)).toEqual(['local', 'outside'])
})

test('a note that somebody has made again is not listed as deleted before the vault is listed', async () => {
  verifies('vault.early-changes')
  await rm(at('top.md'))
  await until('it is deleted', async () => (await deleted()).includes('top.md'))
  await daemon.stop()
  await write('top.md', 'made again\n')
  await restartHeld()
  expect(await listedAfter(deleted())).toEqual([])
})
