import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

let daemon: Svcd
let client: Client
const vaultId = 'demo-vault'

beforeAll(async () => {
  daemon = await startSvcd()
  client = new Client({ name: 'test-agent', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)))
  await client.callTool({ name: 'create_note', arguments: { vaultId, path: 'ü/plan b.md', content: '# Plan\n' } })
})
afterAll(async () => {
  await client.close()
  await daemon.remove()
})

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${daemon.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  })
type Message = { result: Record<string, unknown>; error: { code: number } }
/** The message in a response, whether JSON or one event of a stream. */
const messageOf = async (answer: Response) => {
  const text = await answer.text()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Message
}

describe('protocol versions', () => {
  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])('a session speaks %s', async (protocolVersion) => {
    verifies('mcp.protocol-versions')
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const begun = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id')!, 'mcp-protocol-version': protocolVersion }
    expect((await messageOf(begun)).result).toMatchObject({ protocolVersion })
    const listed = await messageOf(await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, session))
    expect(listed.result['tools']).toHaveLength(15)
  })

  const modern = (method: string, params: Record<string, unknown> = {}) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'modern-agent', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const name = params['name'] ?? params['uri']
    return post(
      { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
      },
    )
  }

  test('a call of 2026-07-28 needs no session, and the audit names its client', async () => {
    verifies('mcp.protocol-versions', 'audit.mcp-client')
    const discovered = await messageOf(await modern('server/discover'))
    expect(discovered.result).toMatchObject({ supportedVersions: expect.arrayContaining(['2026-07-28']) as unknown })
    const args = { vaultId, path: 'modern.md', content: 'x\n' }
    const made = await messageOf(await modern('tools/call', { name: 'create_note', arguments: args }))
    expect(made.result).toMatchObject({ structuredContent: { path: 'modern.md' } })
    const audit = await (await fetch(`${daemon.url}/api/vaults/${vaultId}/audit?limit=1`)).json()
    expect(audit).toMatchObject({ entries: [{ actor: 'mcp_client', client: 'modern-agent', path: 'modern.md' }] })
  })
})

describe('limits', () => {
  test('a batch is answered whole, up to 20 messages', async () => {
    verifies('mcp.limits')
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const begun = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
    await begun.text()
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id')! }
    const batch = (size: number) => Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
    const answers = (await (await post(batch(20), session)).text()).match(/^data: .*"result":\{\}/gm)
    expect(answers).toHaveLength(20)
    for (const size of [0, 21]) {
      const refused = await post(batch(size), session)
      expect([refused.status, (await messageOf(refused)).error.code]).toEqual([400, -32600])
    }
  })

  test('two requests with one id at a time are refused, since one of them would never be answered', async () => {
    verifies('mcp.limits')
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const begun = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
    await begun.text()
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id')! }
    const ping = { jsonrpc: '2.0', id: 7, method: 'ping' }
    const refused = await post([ping, ping], session)
    expect([refused.status, (await messageOf(refused)).error.code]).toEqual([400, -32600])
    for (let round = 0; round < 2; round++)
      expect((await messageOf(await post(ping, session))).result, 'an id is free again with its answer').toEqual({})
  })

  test('a message that is too long is refused as JSON-RPC', async () => {
    verifies('mcp.limits')
    // Only announce the length: a refusal may come before a whole body is sent, and the connection then ends.
    const headers = { 'content-type': 'application/json', 'content-length': String(5 * 1024 * 1024) }
    const sent = request(`${daemon.url}/mcp`, { method: 'POST', headers })
    sent.flushHeaders()
    const [refused] = (await once(sent, 'response')) as [IncomingMessage]
    const message = JSON.parse(await text(refused)) as Message
    expect([refused.statusCode, message.error.code]).toEqual([413, -32600])
    sent.destroy()
  })

  test('a session is gone after a restart', async () => {
    verifies('mcp.unknown-session')
    const own = await startSvcd()
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    const at = (url: string, body: unknown, headers = {}) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(body),
      })
    const begun = await at(own.url, initialize)
    await begun.text()
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id')! }
    await own.stop()
    await own.restart()
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    expect((await at(own.url, ping, session)).status).toBe(404)
    expect((await at(own.url, initialize, session)).status).toBe(200)
    await own.remove()
  })
})

describe('resources', () => {
  const uri = `vault://${vaultId}/%C3%BC/plan%20b.md`

  test('files are listed and read by their address', async () => {
    verifies('mcp.resources')
    const { resources } = await client.listResources()
    expect(resources).toContainEqual(expect.objectContaining({ uri, title: 'Plan', mimeType: 'text/markdown' }))
    expect(await client.readResource({ uri })).toMatchObject({ contents: [{ uri, text: '# Plan\n' }] })
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'vault://{vaultId}/{+path}' },
    ])
  })

  test.each([
    `vault://${vaultId}/none.md`,
    'vault://none/a.md',
    'file:///etc/passwd',
    `vault://${vaultId}/..%2f..%2fx`,
  ])('%s is not there', async (missing) => {
    verifies('mcp.resources')
    await expect(client.readResource({ uri: missing })).rejects.toMatchObject({ code: -32002 })
  })

  test('a subscriber is told of a change until it unsubscribes', async () => {
    verifies('mcp.resources')
    const told: string[] = []
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri))
    await client.subscribeResource({ uri })
    const counted = (of: string) => told.filter((one) => one === of).length
    const write = (path: string) =>
      fetch(`${daemon.url}/api/vaults/${vaultId}/notes/${path}`, {
        method: 'PUT',
        headers: { 'content-type': 'text/markdown', 'if-match': '*' },
        body: `# Plan ${told.length}\n`,
      })
    await until('the change is told', async () => {
      await write('%C3%BC/plan%20b.md')
      return told.length > 0
    })
    expect(new Set(told)).toEqual(new Set([uri]))
    await client.unsubscribeResource({ uri })

    // A notification about another note comes after all earlier ones.
    const mark = `vault://${vaultId}/mark.md`
    await client.callTool({ name: 'create_note', arguments: { vaultId, path: 'mark.md', content: '# Mark\n' } })
    await client.subscribeResource({ uri: mark })
    const marked = async () => {
      const before = counted(mark)
      await until('the mark is told', async () => {
        await write('mark.md')
        return counted(mark) > before
      })
    }
    await marked()
    const before = counted(uri)
    await write('%C3%BC/plan%20b.md')
    await marked()
    expect(counted(uri) - before).toBe(0)
    await client.unsubscribeResource({ uri: mark })
  })
})

test('prompts name their notes, and vaults and paths are completed', async () => {
  verifies('mcp.prompts')
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('summarize_note')
  const prompt = await client.getPrompt({ name: 'summarize_note', arguments: { vaultId, path: 'a.md' } })
  expect(prompt.messages[0]!.content).toMatchObject({ text: expect.stringContaining('"a.md"') as string })
  const complete = (name: string, value: string) =>
    client.complete({
      ref: { type: 'ref/prompt', name: 'summarize_note' },
      argument: { name, value },
      context: { arguments: { vaultId } },
    })
  expect((await complete('vaultId', 'de')).completion.values).toEqual([vaultId])
  expect((await complete('path', 'plan')).completion.values).toEqual(['ü/plan b.md'])
})
