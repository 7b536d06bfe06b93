import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { McpSessions } from './mcp-sessions.ts'
import type { Tool } from './tool.ts'

type Deps = { tools: readonly Tool[]; version: string; clock: Clock; log: Log; maxBodyBytes: number }

const PARSE_ERROR = -32700
const NO_SESSION = -32001

/**
 * The MCP endpoint (Streamable HTTP with sessions), for this machine alone. The SDK is loaded at the first request:
 * a daemon that no agent asks does not pay for it.
 */
export function mcpRoutes({ tools, version, clock, log, maxBodyBytes }: Deps): FastifyPluginAsyncZod {
  let loading: Promise<McpSessions> | undefined
  const load = async (): Promise<McpSessions> => {
    const [{ mcpServer }, { mcpSessions }] = await Promise.all([import('./mcp-server.ts'), import('./mcp-sessions.ts')])
    return mcpSessions({ makeServer: () => mcpServer({ tools, version, log }), clock })
  }

  async function exchange(request: FastifyRequest, reply: FastifyReply, body: unknown) {
    const sessions = await (loading ??= load())
    const id = request.headers['mcp-session-id']
    // A client may initialise anew with the id of a session that ended.
    if (isInitialize(body)) {
      reply.hijack()
      delete request.raw.headers['mcp-session-id']
      return sessions.begin(request.raw, reply.raw, body)
    }
    if (typeof id !== 'string')
      return refuse(reply, { status: 400, code: -32600, message: 'Send initialize first, then mcp-session-id.' })

    reply.hijack()
    if (await sessions.proceed(id, { request: request.raw, response: reply.raw, body })) return reply
    const failure = {
      jsonrpc: '2.0',
      id: null,
      error: { code: NO_SESSION, message: 'Session not found; initialize again.' },
    }
    reply.raw.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(failure))
    return reply
  }

  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, text: string) => text)
    // Streams that only listen would keep the server from closing.
    app.addHook('preClose', async () => (await loading)?.close())
    const options = { config: { produces: [] }, schema: { hide: true } }

    app.post('/mcp', { ...options, bodyLimit: maxBodyBytes }, async (request, reply) => {
      const body = parseMessage(request.body)
      if (body === undefined) return refuse(reply, { status: 400, code: PARSE_ERROR, message: 'Parse error' })
      return exchange(request, reply, body)
    })
    app.get('/mcp', { ...options, config: { ...options.config, quiet: true } }, (request, reply) =>
      exchange(request, reply, undefined),
    )
    app.delete('/mcp', options, (request, reply) => exchange(request, reply, undefined))
  }
}

type Refusal = { status: number; code: number; message: string }

function refuse(reply: FastifyReply, { status, code, message }: Refusal) {
  return reply.code(status).type('application/json').send({ jsonrpc: '2.0', id: null, error: { code, message } })
}

function parseMessage(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

function isInitialize(body: unknown): boolean {
  return [body].flat().some((message) => (message as { method?: unknown } | null)?.method === 'initialize')
}
