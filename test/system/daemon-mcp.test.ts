import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AuditList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { call, rawRequest, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

type Result = Record<string, unknown> & { code?: string }

let daemon: Svcd
let client: Client
let transport: StreamableHTTPClientTransport
const tool = async (name: string, args: Record<string, unknown> = {}): Promise<Result> =>
  (await client.callTool({ name, arguments: args })).structuredContent as Result
const v = { vaultId: 'demo-vault' }

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${daemon.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  })
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

beforeAll(async () => {
  daemon = await startSvcd({ env: { SVC_SEARCH_DEADLINE_MS: '60000' } })
  client = new Client({ name: 'test-agent', version: '1' })
  transport = new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`))
  await client.connect(transport)
})
afterAll(async () => {
  await client.close()
  await daemon.remove()
})

describe('the endpoint', () => {
  test('initialises with 2025-03-26', async () => {
    verifies('mcp.initialize', 'mcp.daemon-port', 'service.one-port')
    const answer = await post(initialize)
    expect([200, 202]).toContain(answer.status)
    expect(answer.headers.get('mcp-session-id')).toMatch(/./)
    const message = (await answer.json()) as { result: unknown }
    expect(message.result).toMatchObject({ protocolVersion: '2025-03-26', serverInfo: { name: 'svc' } })
  })

  test('answers 404 to a session that it does not know, and takes a new initialize from it', async () => {
    verifies('mcp.unknown-session')
    const unknown = { 'mcp-session-id': 'gone' }
    expect((await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', unknown)).status).toBe(404)
    expect((await fetch(`${daemon.url}/mcp`, { method: 'DELETE', headers: unknown })).status).toBe(404)
    const again = await post(initialize, unknown)
    expect([again.status, again.headers.get('mcp-session-id') === 'gone']).toEqual([200, false])
    await again.text()
  })

  test('answers malformed and missing messages as JSON-RPC', async () => {
    for (const body of ['{bad', '']) {
      const answer = await post(body)
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ error: { code: -32700, message: 'Parse error' } }),
      ])
    }
    expect((await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status).toBe(400)
    expect((await post(initialize, { accept: 'application/json' })).status).toBe(406)
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow('Unknown tool')
    await expect(client.callTool({ name: 'readNote', arguments: {} })).rejects.toThrow('Did you mean read_note?')
  })

  test('does not answer a rebound name', async () => {
    const headers = { host: 'evil.example', 'content-type': 'application/json' }
    expect(
      (await rawRequest({ url: daemon.url, path: '/mcp', method: 'POST', headers, body: initialize })).status,
    ).toBe(421)
  })

  test('ends a session on DELETE', async () => {
    const own = new Client({ name: 'short', version: '1' })
    const way = new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`))
    await own.connect(way)
    const id = way.sessionId ?? ''
    await way.terminateSession()
    expect((await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', { 'mcp-session-id': id })).status).toBe(404)
    await own.close()
  })
})

test('the list of tools is complete, described and small', async () => {
  verifies('mcp.tools', 'mcp.token-budget', 'mcp.vault-id', 'mcp.described')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name).sort()).toEqual(
    [
      'list_vaults',
      'vault_info',
      'read_note',
      'list_attachments',
      'create_note',
      'edit_note',
      'delete_note',
      'search_notes',
      'list_notes',
      'move_note',
      'list_links',
      'note_history',
      'revert_changes',
      'read_attachment',
      'write_attachment',
    ].sort(),
  )
  // Four characters of such text are about one token.
  const withoutOutput = tools.map((each) => ({ ...each, outputSchema: undefined }))
  expect(JSON.stringify(withoutOutput).length / 4).toBeLessThan(2500)
  expect(JSON.stringify(tools).length / 4).toBeLessThan(4000)
  for (const { name, annotations, outputSchema, inputSchema } of tools) {
    expect(annotations?.readOnlyHint).toBe(!/^(create|edit|delete|move|write|revert)/.test(name))
    expect(outputSchema).toMatchObject({ type: 'object' })
    expect(inputSchema.required?.includes('vaultId') ?? false, name).toBe(name !== 'list_vaults')
  }
  expect(await tool('vault_info')).toMatchObject({ code: 'invalid_request', problems: [{ path: 'vaultId' }] })
  expect(await tool('vault_info', { vaultId: 'none' })).toMatchObject({ code: 'not_found' })
})

test('a fresh vault has notes and no attachments', async () => {
  verifies('mcp.attachments-empty')
  expect(await tool('list_vaults')).toEqual({ vaults: [{ id: 'demo-vault', displayName: 'Demo vault' }] })
  expect(await tool('list_attachments', v)).toEqual({ attachments: [] })
  expect(await tool('list_notes', { ...v, folder: 'notes/', limit: 1 })).toMatchObject({
    notes: [{}],
    nextCursor: expect.stringMatching(/^after:notes\/./) as string,
  })
  await until('the index is in use', async () => (await call(daemon, '/api/ready')).status === 200)
  expect(await tool('search_notes', { ...v, q: 'markdown' })).toMatchObject({ partial: false })
})

describe('the pages of a list', () => {
  /** The paths on all pages of one file each; none for a list that does not end. */
  async function pathsOf(name: string, args: Record<string, unknown>, use = (cursor: string) => cursor) {
    const paths: string[] = []
    let cursor: string | undefined
    for (let page = 0; page < 20; page++) {
      const answer = await tool(name, { ...v, limit: 1, ...args, ...(cursor === undefined ? {} : { cursor }) })
      const items = (answer['notes'] ?? answer['attachments']) as { path: string }[]
      paths.push(...items.map(({ path }) => path))
      cursor = answer['nextCursor'] as string | undefined
      if (cursor === undefined) return paths
      cursor = use(cursor)
    }
    return []
  }
  const create = async (paths: readonly string[]) => {
    for (const path of paths) {
      await mkdir(dirname(daemon.file('demo-vault', path)), { recursive: true })
      await writeFile(daemon.file('demo-vault', path), path)
    }
    await until('they are listed', async () => {
      const { notes } = (await tool('list_notes', { ...v, limit: 1000 })) as { notes: { path: string }[] }
      return paths.every((path) => notes.some((note) => note.path === path))
    })
  }

  test.each(['NFC', 'NFD'])(
    'all come from a folder that is on disk in %s, in whichever form it is named',
    async (form) => {
      verifies('mcp.lists-paged')
      const folder = `Caf\u00e9 in ${form}`.normalize(form)
      const paths = ['a.md', 'b.md', 'c.md'].map((name) => `${folder}/${name}`)
      await create(paths)
      for (const asked of ['NFC', 'NFD']) {
        expect(await pathsOf('list_notes', { folder: folder.normalize(asked) })).toEqual(paths)
        const all = await pathsOf('list_notes', {}, (cursor) => cursor.normalize(asked))
        expect(all.filter((path) => path.startsWith(`${folder}/`))).toEqual(paths)
      }
      await rm(daemon.file('demo-vault', folder), { recursive: true })
    },
  )

  test('none is missed when a folder goes that the settings put before others', async () => {
    verifies('mcp.lists-paged')
    await writeFile(daemon.file('demo-vault', '.svc/folders.yml'), 'folders: { top/z: { order: 0 } }\n')
    const paths = ['top/a/note.md', 'top/b/note.md', 'top/z/note.md']
    await create(paths)
    const first = await tool('list_notes', { ...v, folder: 'top', limit: 1 })
    const [done] = first['notes'] as [{ path: string }]
    await tool('move_note', { ...v, from: dirname(done.path), to: 'elsewhere' })
    const rest = await pathsOf('list_notes', { folder: 'top', cursor: first['nextCursor'] })
    expect([done.path, ...rest].toSorted()).toEqual(paths)
    for (const folder of ['top', 'elsewhere', '.svc/folders.yml'])
      await rm(daemon.file('demo-vault', folder), { recursive: true })
  })
})

test('create_note refuses every file that exists, also one that is not a note', async () => {
  verifies('mcp.create-refuses')
  await writeFile(daemon.file('demo-vault', 'bytes.md'), Buffer.from([0x23, 0xff]))
  const refused = await tool('create_note', { ...v, path: 'bytes.md', content: 'x' })
  expect(refused).toMatchObject({ code: 'note_exists', path: 'bytes.md', next: 'Choose another path.' })
  expect(await readFile(daemon.file('demo-vault', 'bytes.md'))).toEqual(Buffer.from([0x23, 0xff]))
  await rm(daemon.file('demo-vault', 'bytes.md'))
})

test('create, read, edit, stale, delete', async () => {
  verifies('error.stale-doc', 'error.match-count', 'mcp.delete-permanent', 'mcp.read-parts', 'mcp.create-refuses')
  const path = 'plan.md'
  const made = await tool('create_note', { ...v, path, content: '# Plan\n\n## Now\n\n- a\n- b\n\n## Later\n' })
  expect(await tool('create_note', { ...v, path, content: 'x' })).toMatchObject({
    code: 'note_exists',
    baseline: made['baseline'],
  })

  const read = await tool('read_note', { ...v, path, section: 'Now' })
  expect(read).toMatchObject({
    content: '## Now\n\n- a\n- b\n\n',
    firstLine: 3,
    truncated: false,
    baseline: made['baseline'],
  })
  expect(await tool('read_note', { ...v, path, lines: '5-6' })).toMatchObject({ content: '- a\n- b\n', firstLine: 5 })
  expect(await tool('read_note', { ...v, path, maxChars: 9 })).toMatchObject({
    content: '# Plan\n\n',
    truncated: true,
    nextLine: 3,
  })

  const edits = [
    { section: 'Now', op: 'append', text: '- c' },
    { property: 'status', value: 'open' },
  ]
  const edited = await tool('edit_note', { ...v, path, baseline: read['baseline'], edits })
  expect(edited).toMatchObject({
    path,
    matched: ['section', 'property'],
    diff: expect.stringContaining('+- c') as string,
  })
  expect(await readFile(daemon.file('demo-vault', path), 'utf8')).toBe(
    '---\nstatus: open\n---\n# Plan\n\n## Now\n\n- a\n- b\n- c\n\n## Later\n',
  )

  const stale = await tool('edit_note', {
    ...v,
    path,
    baseline: read['baseline'],
    edits: [{ oldText: 'Later', newText: 'Then' }],
  })
  expect(stale).toMatchObject({ code: 'stale_doc', baseline: edited['baseline'], canRebase: true })
  expect(
    await tool('edit_note', { ...v, path, baseline: edited['baseline'], edits: [{ oldText: '- ', newText: '* ' }] }),
  ).toMatchObject({
    code: 'match_count',
    count: 3,
    candidates: [{ line: 8 }, {}, {}],
  })
  expect(await tool('edit_note', { ...v, path, baseline: edited['baseline'], edits: [] })).toMatchObject({
    code: 'invalid_request',
  })

  expect(await tool('delete_note', { ...v, path, baseline: made['baseline'] })).toMatchObject({ code: 'stale_doc' })
  expect(await tool('delete_note', { ...v, path })).toEqual({ path, trashed: true })
  expect(await readdir(daemon.file('demo-vault', '.svc/trash'))).toHaveLength(1)
  await tool('create_note', { ...v, path, content: 'again\n' })
  expect(await tool('delete_note', { ...v, path, permanent: true })).toEqual({ path, trashed: false })
  expect(await readdir(daemon.file('demo-vault', '.svc/trash'))).toHaveLength(1)
  expect(await tool('read_note', { ...v, path })).toMatchObject({ code: 'not_found' })
})

test('changes are in the audit with the client, reads are not', async () => {
  verifies('audit.mcp-client', 'audit.content-free')
  const file = join(daemon.home, 'daemon/audit/demo-vault.jsonl')
  const entries = async () =>
    AuditList.parse((await call(daemon, '/api/vaults/demo-vault/audit?limit=1000')).body).entries
  const made = await tool('create_note', { ...v, path: 'audited.md', content: 'secret words\n' })
  const before = await entries()
  expect(before[0]).toMatchObject({
    actor: 'mcp_client',
    client: 'test-agent',
    tool: 'create_note',
    path: 'audited.md',
    after: made['baseline'],
    outcome: 'done',
  })
  expect(await readFile(file, 'utf8')).not.toContain('secret words')
  for (const name of ['list_vaults', 'vault_info', 'list_attachments', 'list_notes']) await tool(name, v)
  await tool('read_note', { ...v, path: 'audited.md' })
  await tool('search_notes', { ...v, q: 'secret' })
  expect(await entries()).toEqual(before)

  const edits = [{ oldText: 'secret', newText: 'secret' }]
  await tool('edit_note', { ...v, path: 'audited.md', baseline: made['baseline'], edits })
  const [idle, ...rest] = await entries()
  expect(idle).toMatchObject({ tool: 'edit_note', before: made['baseline'], after: made['baseline'], outcome: 'done' })
  expect(rest).toEqual(before)
})

test('paths that leave the vault are refused by every tool', async () => {
  for (const path of ['../../daemon/status.json', '.svc/vault.json', '/etc/passwd', 'a/../../x.md', '..%2fx.md']) {
    for (const [name, more] of Object.entries({
      read_note: {},
      create_note: { content: 'x' },
      delete_note: {},
      edit_note: { baseline: 'x', edits: [{ oldText: 'a', newText: 'b' }] },
    }))
      expect(await tool(name, { ...v, path, ...more }), `${name} ${path}`).toMatchObject({ code: 'invalid_request' })
  }
})

test('a note is moved with the links to it, and its links are listed', async () => {
  verifies('mcp.tools', 'links.move', 'audit.mcp-client')
  const vaultId = 'demo-vault'
  await tool('create_note', { vaultId, path: 'm/Old.md', content: '# Old\n[[Nowhere]]\n' })
  await tool('create_note', { vaultId, path: 'm/Reader.md', content: 'See [[Old]].\n' })
  const wish = { vaultId, path: 'm/Old.md', newPath: 'm/New.md' }
  const expected = { path: 'm/New.md', notesTotal: 1, notes: [{ path: 'm/Reader.md', links: 1 }] }
  expect(await tool('move_note', { ...wish, dryRun: true })).toMatchObject({ ...expected, dryRun: true })
  expect(await tool('read_note', { vaultId, path: 'm/Old.md' })).toMatchObject({ path: 'm/Old.md' })
  expect(await tool('move_note', { vault: vaultId, from: wish.path, to: wish.newPath })).toMatchObject(expected)
  expect(await tool('list_links', { vaultId, path: 'm/New.md' })).toMatchObject({
    outgoing: [{ line: 2, target: 'Nowhere', problem: 'no_file' }],
    backlinks: [{ path: 'm/Reader.md', lines: [{ line: 1, text: 'See [[New]].' }] }],
    backlinksTotal: 1,
  })
  expect(await tool('move_note', { ...wish, path: 'm/Reader.md' })).toMatchObject({ code: 'note_exists' })
  const { body } = await call(daemon, '/api/vaults/demo-vault/audit?limit=1')
  expect(body).toMatchObject({
    entries: [{ actor: 'mcp_client', tool: 'move_note', path: 'm/Old.md', to: 'm/New.md' }],
  })
})
