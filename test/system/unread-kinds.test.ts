import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { MoveResult } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import { TrashList } from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { verifies } from '../requirements.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// What is asked of Markdown files that the daemon has not read yet, as right after another program has written them.

const BYTES = Buffer.from([0x23, 0xff, 0xfe])

let daemon: Svcd
beforeAll(async () => {
  daemon = await startSvcd()
})
afterAll(() => daemon.remove())

const api = (path: string, options?: Parameters<typeof call>[2]) =>
  call(daemon, `/api/vaults/demo-vault${path}`, options)
const place = (path: string) => daemon.file('demo-vault', path)
const remove = (path: string, query = '') => api(`/attachments/${path}${query}`, { method: 'DELETE' })
const errorOf = ({ body }: { body: unknown }) => ErrorBody.parse(body).error
const revisions = async (path: string) => HistoryAnswer.parse((await api(`/history/${path}`)).body).revisions ?? []

/** A note with a revision, over which another program has written bytes that are not text. */
async function noteThatBecameBytes(path: string): Promise<string> {
  const headers = { 'if-none-match': '*' }
  expect((await api(`/notes/${path}`, { method: 'PUT', json: { content: 'secret\n' }, headers })).status).toBe(201)
  await until('it has a revision', async () => (await revisions(path)).length === 1)
  const [{ rev } = { rev: '' }] = await revisions(path)
  await writeFile(place(path), BYTES)
  return rev
}
const isWithheld = async (path: string, rev: string) =>
  (await revisions(path)).length === 0 && (await api(`/history/${path}?rev=${rev}`)).status === 404

test('a note that has not been read yet is not deleted as an attachment', async () => {
  verifies('attachments.never-notes')
  for (const [nth, query] of ['', '?permanent=true', '', '?permanent=true'].entries()) {
    const path = `fresh-${nth}.md`
    await writeFile(place(path), 'a note\n')
    const refused = await remove(path, query)
    expect([refused.status, errorOf(refused)]).toMatchObject([
      400,
      { code: 'invalid_request', details: [{ path: 'path' }] },
    ])
    expect(await readFile(place(path), 'utf8')).toBe('a note\n')
  }
  // Until now, it was an attachment.
  await writeFile(place('bytes.md'), BYTES)
  await until('it is listed', async () => (await api('/attachments')).text.includes('bytes.md'))
  await writeFile(place('bytes.md'), 'a note\n')
  expect((await remove('bytes.md', '?permanent=true')).status).toBe(400)
  expect(existsSync(place('bytes.md'))).toBe(true)
})

test('a note that has not been read yet moves as a note', async () => {
  verifies('attachments.never-notes', 'links.move')
  for (const [nth, rewriteLinks] of [true, false].entries()) {
    const from = `moving-${nth}.md`
    const move = async (to: string, dryRun: boolean) => api('/move', { json: { from, to, dryRun, rewriteLinks } })
    await writeFile(place(from), 'a note\n')
    expect(errorOf(await move(`moved-${nth}.txt`, false))).toMatchObject({ details: [{ path: 'to' }] })
    await writeFile(place(`other-${nth}.md`), 'a note\n')
    const made = await api('/move', { json: { from: `other-${nth}.md`, to: `moved-${nth}.md`, rewriteLinks } })
    expect(MoveResult.parse(made.body).kind).toBe('note')
  }
})

test('what is deleted for good as bytes leaves no revision of the note that it was', async () => {
  verifies('security.purged-history')
  const rev = await noteThatBecameBytes('at-once.md')
  expect((await remove('at-once.md', '?permanent=true')).status).toBe(200)
  await until('its revisions are gone', () => isWithheld('at-once.md', rev))

  const old = await noteThatBecameBytes('in-trash.md')
  expect((await remove('in-trash.md')).status).toBe(200)
  const { entries } = TrashList.parse((await api('/trash')).body)
  const { id } = entries.find(({ path }) => path === 'in-trash.md')!
  expect((await api(`/trash/${id}`, { method: 'DELETE' })).status).toBe(200)
  await until('its revisions are gone', () => isWithheld('in-trash.md', old))
})

test('a note keeps its history when the trash is emptied of bytes that had its path', async () => {
  verifies('trash.bytes-no-history')
  await writeFile(place('log.md'), BYTES)
  await until('they are listed', async () => (await api('/attachments')).text.includes('log.md'))
  expect((await remove('log.md')).status).toBe(200)
  const headers = { 'if-none-match': '*' }
  expect((await api('/notes/log.md', { method: 'PUT', json: { content: 'kept\n' }, headers })).status).toBe(201)
  await until('the note has a revision', async () => (await revisions('log.md')).length === 1)
  const { entries } = TrashList.parse((await api('/trash')).body)
  const { id } = entries.find(({ path }) => path === 'log.md')!
  expect((await api(`/trash/${id}`, { method: 'DELETE' })).status).toBe(200)
  await until('it has it again', async () => (await revisions('log.md')).length === 1)
})
