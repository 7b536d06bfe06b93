import { crc32 } from 'node:zlib'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { errorCodes } from '@svc/shared/wire/errors.ts'
import { runCommand } from '../../daemon/src/cli/run-command.ts'
import { readConfig } from '../../daemon/src/config.ts'
import { SECRET } from './hostile-vault.ts'
import { rawRequest, type Svcd } from './svcd.ts'

/**
 * One way to pass a path to a daemon. `makes`: the call would create a file at the path. `root`: paths that stand for
 * the whole vault. `past`: the call names an earlier path, so nothing needs to exist there. `ask` returns whether the
 * path was accepted, and throws if the response is a bug, untyped or missing. `undo` makes good what an accepted path
 * would keep the next call from doing.
 */
export type Surface = {
  name: string
  makes: boolean
  root?: RegExp
  past?: true
  ask(path: string): Promise<'accepted' | 'refused'>
  undo?(path: string): Promise<unknown>
}

/** Prefix of the names of vaults that archives have created. */
export const IMPORTED = 'imported-'

const PATIENCE_MS = 60_000
const VAULT = '/api/vaults/v'

/** The bytes of a character; a lone surrogate has the bytes that it would have if UTF-8 allowed it. */
function bytesOf(character: string): Buffer {
  const point = character.codePointAt(0)!
  const isSurrogate = point >= 0xd800 && point <= 0xdfff
  return isSurrogate
    ? Buffer.from([0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)])
    : Buffer.from(character)
}

/** A path with everything except letters escaped. */
function escaped(path: string): string {
  return Array.from(path, (character) =>
    /[A-Za-z0-9]/.test(character)
      ? character
      : Array.from(bytesOf(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  ).join('')
}

/** A path as browsers and scripts send it: with unescaped slashes and dots. */
const plain = (path: string) =>
  path
    .split('/')
    .map((segment) => (/^\.+$/.test(segment) ? segment : escaped(segment)))
    .join('/')

function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} is not answered`)), PATIENCE_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Every REST route, MCP tool and command that takes a path, and the import of archives. */
export async function hostileSurfaces(daemon: Svcd): Promise<{ surfaces: Surface[]; close(): Promise<void> }> {
  type Request = { method: string; path: string; headers?: Record<string, string>; json?: unknown; body?: Buffer }
  const send = async ({ method, path, headers = {}, json, body }: Request): Promise<'accepted' | 'refused'> => {
    const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' }
    const sent = body ?? (json === undefined ? undefined : JSON.stringify(json))
    const request = rawRequest({
      url: daemon.url,
      path,
      method,
      headers: { ...type, ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    })
    const answer = await inTime(`${method} ${path.slice(0, 200)}`, request)
    if (answer.body.includes(SECRET)) throw new Error('the answer shows a file outside of the vault')
    if (answer.status < 300) return 'accepted'
    const code = /"code":"(\w+)"/.exec(answer.body)?.[1]
    const isTyped = code !== undefined && (errorCodes as readonly string[]).includes(code)
    if (answer.status >= 500 || !isTyped) throw new Error(`${answer.status} ${answer.body.slice(0, 300)}`)
    return 'refused'
  }
  const inUrl = (
    method: string,
    route: string,
    {
      makes = false,
      end = '',
      headers,
      json,
      body,
    }: { makes?: boolean; end?: string } & Pick<Request, 'headers' | 'json' | 'body'> = {},
  ): Surface[] =>
    [plain, escaped].map((write) => ({
      name: `${method} ${route}/…${end} ${write === plain ? '' : 'escaped'}`,
      makes,
      ask: (path) =>
        send({
          method,
          path: `${VAULT}/${route}/${write(path)}${end}`,
          ...(headers && { headers }),
          ...(json !== undefined && { json }),
          ...(body && { body }),
        }),
    }))
  const inBody = (route: string, makes: boolean, json: (path: string) => unknown): Surface => ({
    name: `POST ${route}`,
    makes,
    ask: (path) => send({ method: 'POST', path: `${VAULT}/${route}`, json: json(path) }),
  })
  /** A call that moves `source.md` to the path. */
  const movesSource = (surface: Surface): Surface => ({
    ...surface,
    undo: (path) => send({ method: 'POST', path: `${VAULT}/move`, json: { from: path, to: 'source.md' } }),
  })
  const inQuery = (route: string, parameter: string): Surface => ({
    name: `GET ${route}?${parameter}`,
    makes: false,
    root: /^$/,
    ask: (path) => send({ method: 'GET', path: `${VAULT}/${route}?${parameter}=${escaped(path)}` }),
  })
  const create = { 'if-none-match': '*' }
  const change = { 'if-match': '*' }
  const edits = [{ oldText: 'a', newText: 'b' }]
  const baseline = '0'.repeat(24)

  const rest: Surface[] = [
    ...inUrl('GET', 'notes'),
    ...inUrl('PUT', 'notes', { makes: true, headers: create, json: { content: 'x' } }),
    ...inUrl('PUT', 'notes', { headers: change, json: { content: 'x' } }),
    ...inUrl('PATCH', 'notes', { json: { baseline, edits } }),
    ...inUrl('GET', 'attachments'),
    ...inUrl('PUT', 'attachments', { makes: true, headers: create, body: Buffer.from('x') }),
    ...inUrl('PUT', 'attachments', { headers: change, body: Buffer.from('x') }),
    ...inUrl('GET', 'history'),
    ...inUrl('POST', 'history', { end: '/restore', makes: true, json: { rev: 'abcdef0' } }),
    ...inUrl('GET', 'authors'),
    ...inUrl('PUT', 'readings', { json: { baseline } }),
    ...inUrl('GET', 'links'),
    ...inUrl('POST', 'folders', { makes: true, json: {} }),
    movesSource(inBody('move', true, (path) => ({ from: 'source.md', to: path }))),
    inBody('move', false, (path) => ({ from: path, to: 'moved/target.md', dryRun: true })),
    inBody('move', false, (path) => ({ from: path, to: 'source.md' })),
    inBody('revert', false, (path) => ({ client: 'nobody', since: '2000-01-01T00:00:00Z', path })),
    inQuery('tree', 'path'),
    inQuery('graph', 'path'),
    ...inUrl('DELETE', 'attachments', { headers: change }),
    ...inUrl('DELETE', 'notes', { headers: change }),
    ...inUrl('DELETE', 'folders'),
  ]

  const client = new Client({ name: 'hostile', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)))
  const tool = (
    name: string,
    makes: boolean,
    args: (path: string) => Record<string, unknown>,
    root?: RegExp,
  ): Surface => ({
    name: `tool ${name}`,
    makes,
    ...(root && { root }),
    async ask(path) {
      const answer = await inTime(name, client.callTool({ name, arguments: { vaultId: 'v', ...args(path) } }))
      if (JSON.stringify(answer).includes(SECRET)) throw new Error('the answer shows a file outside of the vault')
      if (!answer.isError) return 'accepted'
      const [content] = answer.content as { text: string }[]
      const text = content?.text ?? ''
      if (!errorCodes.some((code) => text.startsWith(code)) || text.startsWith('internal'))
        throw new Error(`${name}: ${text}`)
      return 'refused'
    },
  })
  const tools: Surface[] = [
    tool('read_note', false, (path) => ({ path })),
    tool('create_note', true, (path) => ({ path, content: 'x' })),
    tool('edit_note', false, (path) => ({ path, baseline, edits })),
    movesSource(tool('move_note', true, (path) => ({ path: 'source.md', newPath: path }))),
    tool('move_note', false, (path) => ({ path, newPath: 'source.md' })),
    tool('list_links', false, (path) => ({ path })),
    tool('note_history', false, (path) => ({ path })),
    tool('revert_changes', false, (path) => ({ path, since: '2000-01-01T00:00:00Z' })),
    tool('read_attachment', false, (path) => ({ path })),
    tool('write_attachment', true, (path) => ({ path, data: 'eA==' })),
    tool('list_notes', false, (path) => ({ folder: path }), /^\/*$/),
    tool('delete_note', false, (path) => ({ path, permanent: false })),
  ]

  const command = (name: string, makes: boolean, args: (path: string) => string[]): Surface => ({
    name: `svcd ${name}`,
    makes,
    async ask(path) {
      const config = () => readConfig({ SVC_HOME: daemon.home, PATH: process.env.PATH })
      let told = ''
      const run = runCommand({
        name,
        args: [...args(path), '--json'],
        config,
        out: () => {},
        error: (text) => void (told += text),
      })
      const code = await inTime(`svcd ${name}`, run)
      if (told.includes('internal')) throw new Error(told)
      return code === 0 ? 'accepted' : 'refused'
    },
  })
  const commands: Surface[] = [
    movesSource(command('move', true, (path) => ['v', 'source.md', path])),
    command('move', false, (path) => ['v', path, 'source.md']),
    command('revert', false, (path) => [
      'v',
      '--client=nobody',
      '--since=2000-01-01T00:00:00Z',
      `--path=${path}`,
      '--dry-run',
    ]),
  ]
  let archives = 0
  const imports: Surface = {
    name: 'import',
    makes: false,
    ask: (path) =>
      send({
        method: 'POST',
        path: `/api/vaults/import?slug=${IMPORTED}${archives++}&displayName=Imported`,
        headers: { 'content-type': 'application/zip' },
        body: zipOfOne(path),
      }),
  }
  const surfaces = [...rest, ...tools, ...commands, imports].map((surface) =>
    /history|revert/.test(surface.name) ? { ...surface, past: true as const } : surface,
  )
  return { surfaces, close: () => client.close() }
}

/** An archive with one stored file whose name no ordinary program would write. */
function zipOfOne(path: string): Buffer {
  const [name, content] = [Buffer.concat(Array.from(path, bytesOf)), Buffer.from('x')]
  const head = (signature: number, bytes: number) => {
    const header = Buffer.alloc(bytes)
    header.writeUInt32LE(signature, 0)
    return header
  }
  const fields = (header: Buffer, at: number) => {
    header.writeUInt16LE(20, at)
    header.writeUInt16LE(0x0800, at + 2)
    header.writeUInt32LE(crc32(content), at + 10)
    header.writeUInt32LE(content.length, at + 14)
    header.writeUInt32LE(content.length, at + 18)
    header.writeUInt16LE(name.length, at + 22)
    return header
  }
  const local = Buffer.concat([fields(head(0x04034b50, 30), 4), name, content])
  const entry = fields(head(0x02014b50, 46), 6)
  entry.writeUInt16LE((3 << 8) | 20, 4)
  entry.writeUInt32LE((0o100644 << 16) >>> 0, 38)
  const directory = Buffer.concat([entry, name])
  const end = head(0x06054b50, 22)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, directory, end])
}
