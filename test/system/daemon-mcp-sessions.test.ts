import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { mcpSessions, type McpSessions } from '../../daemon/src/mcp/mcp-sessions.ts'
import { verifies } from '../requirements.ts'

const IDLE_MS = 30 * 60_000

let nowMs: number
let sessions: McpSessions
let server: HttpServer
let url: string
/** Resolves when the sessions know that the responses so far have ended. */
let ended: Promise<unknown>[]

beforeEach(async () => {
  // Only the sweep gets fake timers; sockets keep their real ones.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  nowMs = 0
  ended = []
  const clock = { now: () => new Date(nowMs), monotonic: () => nowMs, sleep: async () => {} }
  const makeServer = () => new Server({ name: 'test', version: '1' }, { capabilities: {} })
  sessions = mcpSessions({ makeServer, clock, maxSessions: 2, idleMs: IDLE_MS })
  server = createServer(async (request, response) => {
    if (request.method === 'POST') ended.push(once(response, 'close'))
    const body = request.method === 'POST' ? (JSON.parse(await text(request)) as unknown) : undefined
    const id = request.headers['mcp-session-id']
    if (typeof id !== 'string') return sessions.begin({ request, response, body })
    if (!sessions.proceed(id, { request, response, body })) response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
})
afterEach(async () => {
  await sessions.close()
  server.closeAllConnections()
  server.close()
  vi.useRealTimers()
})

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const begin = async (): Promise<string> => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const answer = await fetch(url, { method: 'POST', headers, body })
  await answer.text()
  await Promise.all(ended)
  return answer.headers.get('mcp-session-id') ?? ''
}
const ping = async (id: string): Promise<number> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })
  const answer = await fetch(url, { method: 'POST', headers: { ...headers, 'mcp-session-id': id }, body })
  await answer.text()
  await Promise.all(ended)
  return answer.status
}
const pass = async (ms: number): Promise<void> => {
  nowMs += ms
  await vi.advanceTimersByTimeAsync(60_000)
}

test('a session that nobody uses ends after half an hour; one with an open stream stays', async () => {
  verifies('mcp.limits')
  const [idle, listening] = [await begin(), await begin()]
  const stream = await fetch(url, { headers: { ...headers, 'mcp-session-id': listening } })
  expect(stream.status).toBe(200)
  await pass(IDLE_MS - 1)
  expect([sessions.has(idle), sessions.has(listening)]).toEqual([true, true])
  await pass(2)
  expect([await ping(idle), await ping(listening)]).toEqual([404, 200])
  await stream.body?.cancel()
})

test('beyond the limit the least recently used session ends, one with an open stream last', async () => {
  verifies('mcp.limits')
  const first = await begin()
  const stream = await fetch(url, { headers: { ...headers, 'mcp-session-id': first } })
  nowMs += 1
  const second = await begin()
  nowMs += 1
  const third = await begin()
  expect([await ping(first), await ping(second), await ping(third)]).toEqual([200, 404, 200])
  await stream.body?.cancel()
})
