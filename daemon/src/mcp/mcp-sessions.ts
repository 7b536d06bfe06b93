import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'
import { sendWebResponse, sessionRequestOf } from './web-exchange.ts'

type Session = {
  transport: WebStandardStreamableHTTPServerTransport
  server: Server
  usedAt: number
  open: number
  /** Ids of requests that are not answered yet. */
  inFlight: Set<string | number>
}

type Exchange = { request: IncomingMessage; response: ServerResponse; body: unknown }

/** The sessions of MCP clients, each with its own server. */
export type McpSessions = {
  /** Starts a session with an initialize request. */
  begin(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>
  /** True while there is a session of that id. */
  has(id: string): boolean
  /** Hands a request to its session; false when there is none of that id (any more). */
  proceed(id: string, exchange: Exchange): Promise<boolean>
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
    const oldestFirst = [...sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    const idleFirst = [...oldestFirst.filter(([, { open }]) => open === 0), ...oldestFirst]
    if (sessions.size >= maxSessions && idleFirst[0]) end(idleFirst[0][0])
  }

  /** Counts open responses, so that a client that only listens does not look idle. */
  function track(session: Session, response: ServerResponse): void {
    session.open++
    session.usedAt = clock.monotonic()
    response.once('close', () => {
      session.open--
      session.usedAt = clock.monotonic()
    })
  }

  return {
    async begin(request, response, body) {
      makeRoom()
      const server = makeServer()
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => {
          const session = {
            transport,
            server,
            usedAt: clock.monotonic(),
            open: 0,
            inFlight: new Set<string | number>(),
          }
          sessions.set(id, session)
          track(session, response)
        },
        onsessionclosed: (id) => void sessions.delete(id),
      })
      await server.connect(transport)
      await exchange(transport, { request, response, body })
      if (transport.sessionId === undefined || !sessions.has(transport.sessionId)) await transport.close()
    },
    has: (id) => sessions.has(id),
    async proceed(id, { request, response, body }) {
      const session = sessions.get(id)
      if (!session) return false
      const ids = requestIds(body)
      const twin = ids.find((one, at) => session.inFlight.has(one) || ids.indexOf(one) < at)
      if (twin !== undefined) {
        refuseTwin(response, twin)
        return true
      }
      track(session, response)
      for (const one of ids) session.inFlight.add(one)
      response.once('close', () => ids.forEach((one) => session.inFlight.delete(one)))
      await exchange(session.transport, { request, response, body })
      return true
    },
    async close() {
      clearInterval(sweep)
      for (const id of sessions.keys()) end(id)
    },
  }
}

/** The transport for Node would hold every result that takes longer than a turn of the event loop for a millisecond. */
async function exchange(
  transport: WebStandardStreamableHTTPServerTransport,
  { request, response, body }: Exchange,
): Promise<void> {
  await sendWebResponse(await transport.handleRequest(sessionRequestOf(request), { parsedBody: body }), response)
}

/** Ids of the requests in a message or batch; a message without an id, or without a method, expects no response. */
function requestIds(body: unknown): (string | number)[] {
  return [body].flat().flatMap((message) => {
    const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown }
    return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? [id] : []
  })
}

/** The transport matches responses by request id: of two requests with one id, one would wait forever. */
function refuseTwin(response: ServerResponse, id: string | number): void {
  const error = { code: rpcCodes.invalidRequest, message: 'A request with this id is still open; give each its own.' }
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
}
