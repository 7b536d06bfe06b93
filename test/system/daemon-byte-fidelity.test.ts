import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { oddFiles, oddNotes } from '../corpus/odd-bytes.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { until } from '../support/until.ts'

const VAULT = '/api/vaults/demo-vault'
const BEGINNING = '2000-01-01T00:00:00Z'
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
let agent: Client
const notes = Object.entries(oddNotes).map(([what, bytes], number) => ({ what, bytes, folder: `odd${number}` }))
const files = Object.entries(oddFiles).map(([what, bytes], number) => ({ what, bytes, path: `file${number}.md` }))

const onDisk = (path: string) => readFile(join(daemon.home, 'vaults/demo-vault', path))
const put = (path: string, body: Buffer) =>
  daemon.local(`${VAULT}/notes/${path}`, {
    method: 'PUT',
    headers: { 'if-match': '*', 'content-type': 'text/markdown' },
    body,
  })
const baseline = async (path: string) =>
  (await daemon.local(`${VAULT}/notes/${path}`, { headers: { accept: 'text/markdown' } })).headers
    .get('etag')!
    .slice(1, -1)
const replaced = (bytes: Buffer, from: string, to: string) =>
  Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1')

beforeAll(async () => {
  daemon = await startRelayedDaemon()
  const root = join(daemon.home, 'vaults/demo-vault')
  for (const { bytes, folder } of notes) {
    await mkdir(join(root, folder))
    await writeFile(join(root, folder, 'note.md'), replaced(bytes, 'target', `t-${folder}`))
    await writeFile(join(root, folder, `t-${folder}.md`), 'the target\n')
  }
  for (const { bytes, path } of files) await writeFile(join(root, path), bytes)
  agent = new Client({ name: 'Archivist', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${daemon.urls.local}/mcp`)))
  const last = `${notes.at(-1)!.folder}/t-${notes.at(-1)!.folder}.md`
  await until('every file is known', async () =>
    (await daemon.local(`${VAULT}/links/${last}`)).text.includes('note.md'),
  )
})
afterAll(async () => {
  await agent.close()
  await daemon.close()
})

describe.each(notes)('a note with $what', ({ bytes: plain, folder }) => {
  const path = `${folder}/note.md`
  const bytes = replaced(plain, 'target', `t-${folder}`)
  const edited = replaced(bytes, 'MARK', 'DONE')

  test('keeps every byte that a change does not name', async () => {
    verifies('notes.bytes-kept')
    const markdown = await fetch(`${daemon.urls.local}${VAULT}/notes/${path}`, { headers: { accept: 'text/markdown' } })
    expect(Buffer.from(await markdown.arrayBuffer()).equals(bytes), 'GET').toBe(true)

    const again = await put(path, bytes)
    expect([200, 400], again.text).toContain(again.status)
    expect((await onDisk(path)).equals(bytes), 'PUT').toBe(true)

    const edits = [{ oldText: 'MARK', newText: 'DONE' }]
    const patched = await daemon.local(`${VAULT}/notes/${path}`, {
      method: 'PATCH',
      json: { baseline: await baseline(path), edits },
    })
    expect(patched.status, patched.text).toBe(200)
    expect((await onDisk(path)).equals(edited), 'PATCH').toBe(true)

    const { revisions = [] } = HistoryAnswer.parse((await daemon.local(`${VAULT}/history/${path}`)).body)
    const restored = await daemon.local(`${VAULT}/history/${path}/restore`, {
      json: { rev: revisions.at(-1)!.rev, baseline: await baseline(path) },
    })
    expect(restored.status, restored.text).toBe(200)
    expect((await onDisk(path)).equals(bytes), 'restore').toBe(true)
    await daemon.local(`${VAULT}/history/${path}`)

    const args = { vaultId: 'demo-vault', path, baseline: await baseline(path), edits }
    const result = await agent.callTool({ name: 'edit_note', arguments: args })
    expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
    expect((await onDisk(path)).equals(edited), 'edit_note').toBe(true)

    const wish = { client: 'Archivist', since: BEGINNING, path, dryRun: false }
    const reverted = await daemon.local(`${VAULT}/revert`, { json: wish })
    expect(reverted.status, reverted.text).toBe(200)
    expect((await onDisk(path)).equals(bytes), 'revert').toBe(true)

    const from = `${folder}/t-${folder}.md`
    const moved = await daemon.local(`${VAULT}/move`, { json: { from, to: `${folder}/m-${folder}.md` } })
    expect(moved.status, moved.text).toBe(200)
    expect((await onDisk(path)).equals(replaced(bytes, `t-${folder}`, `m-${folder}`)), 'move').toBe(true)
  })
})

test.each(files)('a file with $what is no note, and nothing changes it', async ({ bytes, path }) => {
  verifies('notes.bytes-kept')
  const edits = [{ oldText: 'MARK', newText: 'DONE' }]
  const patch = { method: 'PATCH', json: { baseline: '0'.repeat(24), edits } }
  expect((await daemon.local(`${VAULT}/notes/${path}`)).status).toBe(404)
  expect((await daemon.local(`${VAULT}/notes/${path}`, patch)).status).toBe(404)
  expect((await daemon.bytes(`${VAULT}/attachments/${path}`)).bytes.equals(bytes)).toBe(true)
  expect((await onDisk(path)).equals(bytes)).toBe(true)
})

test('an archive of all of them has the same bytes', async () => {
  verifies('notes.bytes-kept', 'archive.round-trip')
  const archive = await daemon.bytes(`${VAULT}/export`)
  const headers = { 'content-type': 'application/zip' }
  const answer = await daemon.local('/api/vaults/import?slug=again&displayName=Again', {
    method: 'POST',
    headers,
    body: archive.bytes,
  })
  expect(answer.status, answer.text).toBe(201)
  for (const path of [...notes.map(({ folder }) => `${folder}/note.md`), ...files.map((file) => file.path)])
    expect((await readFile(join(daemon.home, 'vaults/again', path))).equals(await onDisk(path)), path).toBe(true)
})
