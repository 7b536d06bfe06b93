import { readFile } from 'node:fs/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { homeWith } from '../support/vault-home.ts'

const PLAN = '---\nstatus: open\n---\n\n# Plan\n\nBuy milk.\n\n## Tasks\n\n- one\n- two\n'
const path = 'notes/plan.md'
const vaultId = 'v'

type Result = Record<string, unknown> & { baseline: string; code?: string; next?: string; isError: boolean }
let daemon: Svcd
let client: Client
const tool = async (name: string, args: Record<string, unknown>) => {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args })
  return { ...(structuredContent as object), isError: isError === true } as Result
}
const onDisk = () => readFile(daemon.file(vaultId, path), 'utf8')

beforeAll(async () => {
  daemon = await startSvcd({ home: await homeWith({ [`v/${path}`]: PLAN, 'v/pic.png': 'x', 'w/other.md': 'x\n' }) })
  client = new Client({ name: 'clumsy-agent', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)))
})
afterAll(async () => {
  await client.close()
  await daemon.remove()
})

test('an argument that no tool knows is refused before anything is done, one that is only misspelt is understood', async () => {
  verifies('mcp.mistakes')
  const { baseline } = await tool('read_note', { vaultId, path })
  const edit = { vaultId, path, baseline, edits: [{ oldText: 'milk', newText: 'bread' }] }
  expect(await tool('edit_note', { ...edit, dryrun: true })).toMatchObject({ isError: false, dryRun: true })
  const refused = await tool('edit_note', { ...edit, simulate: true })
  expect(refused).toMatchObject({ code: 'invalid_request', problems: [{ path: 'simulate' }] })
  expect(JSON.stringify(refused)).toContain('dryRun')
  expect(await tool('read_note', { vaultId, path, start_line: 7 })).toMatchObject({
    problems: [{ path: 'start_line' }],
  })
  expect(await onDisk()).toBe(PLAN)
  // Some clients pass an invented parameter to a tool without parameters.
  expect(await tool('list_vaults', { random_string: 'x' })).toMatchObject({ isError: false })
})

test('the revision at the end of a difference is not taken for the name of a new path', async () => {
  verifies('mcp.mistakes')
  expect(await tool('note_history', { vaultId, path, to: 'abcdef1' })).toMatchObject({ problems: [{ path: 'from' }] })
})

test('an edit that is not whole is told what belongs to it, over MCP and REST alike', async () => {
  verifies('mcp.mistakes')
  const { baseline } = await tool('read_note', { vaultId, path })
  const incomplete = [
    { property: 'status' },
    { property: 'status', value: 'done', delete: true },
    { oldText: 'milk' },
    { section: 'Tasks', text: 'x' },
    { line: 3, newText: 'x' },
  ]
  for (const edit of incomplete) {
    const told = await tool('edit_note', { vaultId, path, baseline, edits: [edit] })
    expect(told, JSON.stringify(edit)).toMatchObject({ code: 'invalid_request', problems: [{ path: 'edits.0' }] })
    expect(JSON.stringify(told)).not.toContain('Invalid input')
    const patched = await call(daemon, `/api/vaults/v/notes/${path}`, {
      method: 'PATCH',
      json: { baseline, edits: [edit] },
    })
    expect(patched.status, JSON.stringify(edit)).toBe(400)
  }
  expect(await onDisk()).toBe(PLAN)
})

test('all fields of an edit at once, with null for those that are not meant, are understood', async () => {
  verifies('mcp.mistakes')
  const { baseline } = await tool('read_note', { vaultId, path, section: null, lines: null, maxChars: '5000' })
  const nothing = { before: null, after: null, occurrence: null, section: null, op: null, text: null }
  const edits = { oldText: 'milk', newText: 'bread', ...nothing, property: null, value: null, delete: null }
  const edited = await tool('edit_note', { vaultId, path, baseline, edits, onStale: null, dryRun: 'true' })
  expect(edited).toMatchObject({ matched: ['exact'], dryRun: true })
})

test('a path that is not there is told with the one that was meant, and a vault that is not there as such', async () => {
  verifies('mcp.mistakes')
  const wrong = [
    'Notes/Plan.md',
    'plan.md',
    'notes/plan',
    '[[plan]]',
    '/srv/vaults/v/notes/plan.md',
    'vault://v/notes/plan.md',
  ]
  for (const one of wrong)
    expect(await tool('read_note', { vaultId, path: one }), one).toMatchObject({ isError: true, similar: [path] })
  expect(await tool('read_note', { vaultId, path: 'nothing.md' })).not.toHaveProperty('similar')
  const elsewhere = await tool('read_note', { vaultId: 'V', path })
  expect(elsewhere).toMatchObject({ code: 'not_found', next: expect.stringContaining('list_vaults') as string })
  expect(elsewhere).not.toHaveProperty('similar')
})

test('a path that cannot be used is told by the name of its argument, never with the advice to pass it again', async () => {
  verifies('mcp.mistakes')
  const move = (newPath: string) => tool('move_note', { vaultId, path, newPath })
  for (const newPath of ['Meeting: Q3.md', '/notes/x.md', 'x.md.', path, 'plan.txt', 'pic.png/x.md']) {
    const refused = await move(newPath)
    expect(refused, newPath).toMatchObject({ code: 'invalid_request', problems: [{ path: 'newPath' }] })
    expect(refused, newPath).not.toHaveProperty('similar')
    const posted = await call(daemon, '/api/vaults/v/move', { method: 'POST', json: { from: path, to: newPath } })
    expect(posted.body, newPath).toMatchObject({ error: { details: [{ path: 'to' }] } })
  }
  const from = await call(daemon, '/api/vaults/v/move', { method: 'POST', json: { from: '../x.md', to: 'x.md' } })
  expect(from.body).toMatchObject({ error: { details: [{ path: 'from' }] } })
  const listed = await tool('list_notes', { vaultId, folder: '../x' })
  expect(listed).toMatchObject({ code: 'invalid_request', problems: [{ path: 'folder' }] })
  const wrongKind: [string, Record<string, string>][] = [
    ['read_note', { path: 'pic.png' }],
    ['delete_note', { path: 'pic.png', baseline: 'x' }],
    ['read_attachment', { path }],
  ]
  for (const [name, args] of wrongKind) {
    const refused = await tool(name, { vaultId, ...args })
    expect(refused, name).toMatchObject({ code: 'invalid_request', problems: [{ path: 'path' }] })
    expect(refused, name).not.toHaveProperty('similar')
  }
  expect(await onDisk()).toBe(PLAN)
})

test('lines that the note does not have are an error, not an empty note', async () => {
  verifies('mcp.mistakes', 'mcp.read-parts')
  for (const lines of ['90-', '9-7'])
    expect(await tool('read_note', { vaultId, path, lines })).toMatchObject({
      problems: [{ path: 'lines', message: 'names none of the lines 1-12' }],
    })
  const apart = await tool('read_note', { vaultId, path, section: 'Tasks', lines: '1-3' })
  expect(apart).toMatchObject({ problems: [{ message: 'names none of the lines 9-12' }] })
  expect(await tool('read_note', { vaultId, path, lines: 7 })).toMatchObject({ content: 'Buy milk.\n' })
})

test('a file that is there is replaced with its baseline, as the failure says', async () => {
  verifies('mcp.mistakes')
  const refused = await tool('write_attachment', { vaultId, path: 'pic.png', data: 'aGk=' })
  expect(refused).toMatchObject({ code: 'note_exists', next: expect.stringContaining('Pass this baseline') as string })
  const { baseline } = refused
  expect(await tool('write_attachment', { vaultId, path: 'pic.png', data: 'aGk=', baseline })).toMatchObject({
    size: 2,
  })
})

test('a time beyond what git understands is that time: nothing was changed since then', async () => {
  verifies('mcp.mistakes')
  const { baseline } = await tool('read_note', { vaultId, path })
  await tool('edit_note', { vaultId, path, baseline, edits: [{ property: 'status', value: 'done' }] })
  const revert = (since: string) => tool('revert_changes', { vaultId, since })
  expect(await revert('1960-01-01T00:00:00Z')).toMatchObject({ notes: [{ path, action: 'edit' }] })
  expect(await revert('2999-01-01T00:00:00Z')).toMatchObject({ notes: [], left: [] })
})
