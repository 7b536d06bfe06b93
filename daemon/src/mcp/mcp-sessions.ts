import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { readRpcMessages, requestProblem, type RpcRefusal } from '@svc/shared/wire/mcp/rpc-messages.ts'
import { readInitialize } from './read-initialize.ts'
import { SessionTransport } from './session-transport.ts'

type Session = { transport: SessionTransport; usedAt: number; open: number }

type Exchange = { request: IncomingMessage; response: ServerResponse; body: unknown }

/** The sessions of MCP clients, each with its own server. */
export type McpSessions = {
  /** Starts a session with an initialize request. */
  begin(exchange: Exchange): Promise<void>
  /** True while a session with that id exists. */
  has(id: string): boolean
  /** Passes a request to its session; false if there is none with that id (any more). */
  proceed(id: string, exchange: Exchange): boolean
  close(): Promise<void>
}

type Options = { makeServer: () => Server; clock: Clock; maxSessions?: number; idleMs?: number }

const SWEEP_MS = 60_000

/** The open sessions. One ends by DELETE, after an idle time, or as the least recently used when there are too many. */
export function mcpSessions({ makeServer, clock, maxSessions = 100, idleMs = 30 * 60_000 }: Options): McpSessions {
  const sessions = new Map<string, Session>()
  const sweep = setInterval(() => {
    for (const [id, { usedAt, open }] of sessions) if (open === 0 && clock.monotonic() - usedAt > idleMs) end(id)
  }, SWEEP_MS)
  sweep.unref()

  function end(id: string): void {
    const session = sessions.get(id)
    sessions.delete(id)
    void session?.transport.close()
  }

  function makeRoom(): void {
    if (sessions.size < maxSessions) return
    const oldestFirst = [...sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    const [oldest] = oldestFirst.find(([, { open }]) => open === 0) ?? oldestFirst[0] ?? []
    if (oldest !== undefined) end(oldest)
  }

  /** Counts open responses, so that a client that only listens does not look idle. */
  function track(session: Session, response: ServerResponse): void {
    session.open++
    session.usedAt = clock.monotonic()
    whenClosed(response, () => {
      session.open--
      session.usedAt = clock.monotonic()
    })
  }

  function post({ transport }: Session, { response, body }: Exchange): void {
    const messages = readRpcMessages(body, (id) => transport.isInFlight(id))
    if ('status' in messages) return refuse(response, messages)
    transport.take(messages, response)
  }

  return {
    async begin({ request, response, body }) {
      const message = requestProblem(request) ?? readInitialize(body)
      if ('status' in message) return refuse(response, message)
      makeRoom()
      const id = randomUUID()
      const transport = new SessionTransport(id)
      await makeServer().connect(transport)
      const session = { transport, usedAt: clock.monotonic(), open: 0 }
      sessions.set(id, session)
      track(session, response)
      transport.take([message], response)
    },
    has: (id) => sessions.has(id),
    proceed(id, exchange) {
      const session = sessions.get(id)
      if (!session) return false
      const { request, response } = exchange
      track(session, response)
      const problem = requestProblem(request)
      if (problem) refuse(response, problem)
      else if (request.method === 'POST') post(session, exchange)
      else if (request.method === 'DELETE') {
        end(id)
        response.writeHead(200).end()
      } else if (!session.transport.listen(response)) refuse(response, SECOND_STREAM)
      return true
    },
    async close() {
      clearInterval(sweep)
      for (const id of sessions.keys()) end(id)
    },
  }
}

const SECOND_STREAM: RpcRefusal = { status: 409, code: -32000, message: 'This session has a stream already.' }

function refuse(response: ServerResponse, { status, code, message, id = null }: RpcRefusal): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
}
