import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { openToOrigins } from '../http/cross-origin.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { LiveGrant } from '../oauth/grants.repository.ts'
import type { EndedSessions } from './ended-sessions.repository.ts'
import { isAllowedCaller } from './is-allowed-caller.ts'
import { mcpDocuments } from './mcp-documents.ts'
import type { McpServer } from './mcp-server.ts'
import type { SessionIds } from './session-ids.ts'

type Deps = {
  baseUrl: string
  findGrant(token: string): Promise<LiveGrant | undefined>
  server: McpServer
  sessions: SessionIds
  ended: EndedSessions
  rateLimit: RateLimit
  clock: Pick<Clock, 'now'>
  maxBodyBytes: number
}

const PARSE_ERROR = -32700
const SESSION_HEADER = 'mcp-session-id'
const WRONG_TOKENS = { key: 'mcp:wrong-token', max: 60, seconds: 60 }

/** The MCP endpoint. Every request carries a token; a session id names its owner, so replicas hold no sessions. */
export function mcpRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { baseUrl, findGrant, server, sessions, ended, rateLimit, clock, maxBodyBytes } = deps
  const challenge = `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp", scope="read write"`

  /** The grant of the request, or undefined after a failure was sent. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<LiveGrant | undefined> => {
    const { host, origin, authorization } = request.headers
    if (!isAllowedCaller({ host, origin }, baseUrl)) {
      refuse(reply, 403, 'This host or origin is not served here.')
      return undefined
    }
    const [, token] = /^Bearer ([A-Za-z0-9._~+/=-]{1,512})$/i.exec(authorization ?? '') ?? []
    const grant = token === undefined ? undefined : await findGrant(token)
    if (grant !== undefined) return grant
    if (authorization !== undefined) await rateLimit({ ...WRONG_TOKENS, client: request.clientAddress })
    reply.header('www-authenticate', authorization === undefined ? challenge : `${challenge}, error="invalid_token"`)
    refuse(reply, 401, 'Sign in first.')
    return undefined
  }

  const findSession = async (request: FastifyRequest, grant: LiveGrant): Promise<Date | 'none' | undefined> => {
    const id = request.headers[SESSION_HEADER]
    if (typeof id !== 'string') return 'none'
    const endsAt = sessions.verify(id, { userId: grant.user_id, clientId: grant.client_id }, clock.now())
    return endsAt !== undefined && !(await ended.has(id)) ? endsAt : undefined
  }

  const routes = (app: FastifyInstance) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: maxBodyBytes },
      async (_: unknown, text: string) => text,
    )
    const route = openToOrigins(app, {
      methods: 'GET, POST, DELETE',
      headers:
        'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID',
      exposed: 'WWW-Authenticate, Mcp-Session-Id',
      documents: mcpDocuments,
    })

    route('POST', '/mcp', async (request, reply) => {
      const grant = await admit(request, reply)
      if (grant === undefined) return reply
      const body = parseMessage(request.body)
      if (body === undefined) return refuse(reply, 400, 'Parse error', PARSE_ERROR)
      const begins = isInitialize(body)
      if (!begins && (await findSession(request, grant)) === undefined)
        return refuse(reply, 404, 'Session not found; initialize again.')

      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const answered = await server.fetch(toWebRequest(request, { baseUrl, signal: gone.signal }), {
        parsedBody: body,
        authInfo: { token: '', clientId: grant.client_id, scopes: grant.scopes, extra: { grant } },
      })
      if (begins && answered.ok) {
        const owner = { userId: grant.user_id, clientId: grant.client_id }
        const random = randomBytes(16).toString('base64url')
        reply.header(SESSION_HEADER, sessions.mint(owner, { now: clock.now(), random }))
      }
      return sendAnswer(reply, answered)
    })

    // There are no events that a client did not request.
    route('GET', '/mcp', async (request, reply) => {
      if ((await admit(request, reply)) === undefined) return reply
      return refuse(reply.header('allow', 'POST, DELETE'), 405, 'This endpoint answers POST.')
    })

    route('DELETE', '/mcp', async (request, reply) => {
      const grant = await admit(request, reply)
      if (grant === undefined) return reply
      const endsAt = await findSession(request, grant)
      if (!(endsAt instanceof Date)) return refuse(reply, 404, 'Session not found.')
      await ended.insert(String(request.headers[SESSION_HEADER]), endsAt)
      return reply.code(204).send()
    })
  }
  return async (app) => {
    await app.register(async (open: FastifyInstance) => routes(open))
  }
}

function refuse(reply: FastifyReply, status: number, message: string, code = -32600): FastifyReply {
  return reply.code(status).type('application/json').send({ jsonrpc: '2.0', id: null, error: { code, message } })
}

/** The request without our own fields: the token stays in this file. */
function toWebRequest(
  { headers }: FastifyRequest,
  { baseUrl, signal }: { baseUrl: string; signal: AbortSignal },
): Request {
  const kept = new Headers()
  for (const name of ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const value = headers[name]
    if (typeof value === 'string') kept.set(name, value)
  }
  return new Request(`${baseUrl}/mcp`, { method: 'POST', headers: kept, signal })
}

function sendAnswer(reply: FastifyReply, answered: Response): FastifyReply {
  reply.code(answered.status)
  for (const name of ['content-type', 'allow']) {
    const value = answered.headers.get(name)
    if (value !== null) reply.header(name, value)
  }
  return answered.body === null ? reply.send() : reply.send(Readable.fromWeb(answered.body as ReadableStream))
}

function parseMessage(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

const isInitialize = (body: unknown): boolean =>
  [body].flat().some((message) => (message as { method?: unknown } | null)?.method === 'initialize')
