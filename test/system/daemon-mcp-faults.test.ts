import { readFile, writeFile } from 'node:fs/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { liveClient } from '../support/live-client.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

type Result = Record<string, unknown> & { baseline: string; code?: string }

let daemon: Svcd
let client: Client
const vaultId = 'demo-vault'
const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: { vaultId, ...args } })
const tool = async (name: string, args: Record<string, unknown>) => (await call(name, args)).structuredContent as Result
const note = (path: string, content: string) => tool('create_note', { path, content })
const bytes = (path: string) => readFile(daemon.file(vaultId, path))

beforeAll(async () => {
  daemon = await startSvcd()
  client = new Client({ name: 'test-agent', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)))
})
afterAll(async () => {
  await client.close()
  await daemon.remove()
})

describe('what the reference server for files gets wrong', () => {
  test('the first of two matches is not edited silently', async () => {
    verifies('mcp.edits-never-wrong', 'error.match-count')
    const { baseline } = await note('two.md', '- milk\n- milk\n')
    const edits = [{ oldText: '- milk', newText: '- bread' }]
    const refused = await tool('edit_note', { path: 'two.md', baseline, edits })
    expect(refused).toMatchObject({
      code: 'match_count',
      count: 2,
      next: expect.stringContaining('occurrence') as string,
    })
    expect((await bytes('two.md')).toString()).toBe('- milk\n- milk\n')
    const second = [{ ...edits[0], occurrence: 2 }]
    expect(await tool('edit_note', { path: 'two.md', baseline, edits: second })).toMatchObject({ matched: ['exact'] })
    expect((await bytes('two.md')).toString()).toBe('- milk\n- bread\n')
  })

  test('line ends of the file stay, also around and inside of an edit', async () => {
    verifies('mcp.edits-never-wrong', 'edit.literal')
    const { baseline } = await note('crlf.md', 'one\r\ntwo\r\nthree\r\n')
    await tool('edit_note', { path: 'crlf.md', baseline, edits: [{ oldText: 'one\ntwo', newText: 'one\nzwei' }] })
    expect((await bytes('crlf.md')).toString()).toBe('one\r\nzwei\r\nthree\r\n')
  })

  test('bytes that are not UTF-8 are never rewritten', async () => {
    verifies('mcp.edits-never-wrong', 'notes.not-utf8')
    const broken = Buffer.from([0x61, 0xff, 0xfe, 0x0a])
    await writeFile(daemon.file(vaultId, 'broken.md'), broken)
    const edits = [{ oldText: 'a', newText: 'b' }]
    expect(await tool('edit_note', { path: 'broken.md', baseline: 'x', edits })).toMatchObject({ code: 'not_found' })
    expect(await bytes('broken.md')).toEqual(broken)
  })

  test('empty text to replace is refused', async () => {
    const { baseline } = await note('empty.md', 'text\n')
    const edits = [{ oldText: '', newText: 'x' }]
    expect(await tool('edit_note', { path: 'empty.md', baseline, edits })).toMatchObject({ code: 'invalid_request' })
    expect((await bytes('empty.md')).toString()).toBe('text\n')
  })

  test('of two edits at once on one baseline one is told that it is stale, and rebases', async () => {
    verifies('mcp.edits-never-wrong', 'error.stale-doc', 'edit.on-stale')
    const { baseline } = await note('race.md', 'one\n\ntwo\n')
    const edit = (oldText: string, onStale: string) =>
      tool('edit_note', { path: 'race.md', baseline, edits: [{ oldText, newText: `${oldText}!` }], onStale })
    const answers = await Promise.all([edit('one', 'reject'), edit('two', 'reject')])
    expect(answers.filter(({ code }) => code === 'stale_doc')).toMatchObject([{ canRebase: true }])
    const lost = answers[0].code === undefined ? 'two' : 'one'
    expect((await edit(lost, 'rebase')).code).toBeUndefined()
    expect((await bytes('race.md')).toString()).toBe('one!\n\ntwo!\n')
  })

  test('a list item of another indentation is not taken for the one that was meant', async () => {
    verifies('mcp.edits-never-wrong')
    const content = '- buy milk\n  - buy milk\n'
    const { baseline } = await note('list.md', content)
    const edits = [{ oldText: '    - buy milk\n', newText: '    - buy bread\n' }]
    expect(await tool('edit_note', { path: 'list.md', baseline, edits })).toMatchObject({ code: 'match_count' })
    expect((await bytes('list.md')).toString()).toBe(content)
  })

  test('replacement text is taken literally', async () => {
    verifies('edit.literal')
    const { baseline } = await note('literal.md', 'price\n')
    await tool('edit_note', { path: 'literal.md', baseline, edits: [{ oldText: 'price', newText: '$& $1 $$' }] })
    expect((await bytes('literal.md')).toString()).toBe('$& $1 $$\n')
  })
})

test("an agent's edit appears in an open editor at once, and never on stale text", async () => {
  verifies('mcp.edits-never-wrong', 'live.edits-enter')
  await note('open.md', '# Open\n\nagent line\n')
  const ada = liveClient({ url: () => daemon.url, path: 'open.md' })
  await ada.reaches('durable', 'saved')
  const read = await tool('read_note', { path: 'open.md' })
  ada.type('typed by ada\n', 0)
  await ada.reaches('saved', 'durable')
  const edits = [{ oldText: 'agent line', newText: 'line of the agent' }]
  expect(await tool('edit_note', { path: 'open.md', baseline: read.baseline, edits })).toMatchObject({
    code: 'stale_doc',
    canRebase: true,
  })
  const edited = await tool('edit_note', { path: 'open.md', baseline: read.baseline, edits, onStale: 'rebase' })
  expect(edited.code).toBeUndefined()
  await ada.shows((text) => text.includes('line of the agent') && text.includes('typed by ada'))
  ada.close()
})

describe('files and their past', () => {
  test('an attachment is stored, listed, read as what it is, and replaced only by who has seen it', async () => {
    verifies('mcp.attachments')
    const png = (await readFile(new URL('../../daemon/ui/index.html', import.meta.url))).subarray(0, 50)
    const path = 'files/pixel.png'
    const made = await tool('write_attachment', { path, data: png.toString('base64') })
    expect(made).toMatchObject({ path, size: 50, created: true })
    expect(await bytes(path)).toEqual(png)
    const { content } = await call('read_attachment', { path })
    expect(content).toContainEqual({ type: 'image', mimeType: 'image/png', data: png.toString('base64') })
    expect(await tool('write_attachment', { path, data: 'QUJD' })).toMatchObject({ code: 'note_exists' })
    expect(await tool('write_attachment', { path, data: 'QUJD', baseline: 'old' })).toMatchObject({ code: 'stale_doc' })
    expect(await tool('write_attachment', { path, data: 'QU JD', baseline: made.baseline })).toMatchObject({
      code: 'invalid_request',
    })
    expect(await tool('write_attachment', { path, data: 'QUJD', baseline: made.baseline })).toMatchObject({
      size: 3,
      created: false,
    })
    await tool('write_attachment', { path: 'files/a.csv', data: Buffer.from('a,b\n').toString('base64') })
    expect(await tool('read_attachment', { path: 'files/a.csv' })).toMatchObject({ text: 'a,b\n' })
    expect(await tool('list_attachments', { limit: 1 })).toMatchObject({
      attachments: [{}],
      nextCursor: expect.stringMatching(/^after:./) as string,
    })
    expect(await tool('write_attachment', { path: 'x.md', data: '' })).toMatchObject({ code: 'invalid_request' })
  })

  test('the history of a note names who wrote what', async () => {
    verifies('mcp.note-history')
    // Consecutive changes of one author become one version, so the first one is a person's.
    const made = await fetch(`${daemon.url}/api/vaults/${vaultId}/notes/past.md`, {
      method: 'PUT',
      headers: { 'content-type': 'text/markdown', 'if-none-match': '*' },
      body: 'first\n',
    })
    expect(made.status).toBe(201)
    const { baseline } = await tool('read_note', { path: 'past.md' })
    await tool('edit_note', { path: 'past.md', baseline, edits: [{ oldText: 'first', newText: 'second' }] })
    type Past = { revisions: { rev: string; author: { kind: string; name: string } }[] }
    let past: Past = { revisions: [] }
    await until('both versions are in the history', async () => {
      past = (await tool('note_history', { path: 'past.md' })) as unknown as Past
      return past.revisions.length === 2
    })
    expect(past.revisions[0]!.author).toEqual({ kind: 'mcp_client', name: 'test-agent' })
    const rev = past.revisions[1]!.rev
    expect(await tool('note_history', { path: 'past.md', rev })).toMatchObject({ content: 'first\n' })
    const { diff } = await tool('note_history', { path: 'past.md', from: rev })
    expect(diff).toContain('-first\n+second\n')
  })
})
