import { randomBytes } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { openToOrigins } from '../http/cross-origin.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { LiveGrant } from '../oauth/grants.repository.ts'
import type { EndedSessions } from './ended-sessions.repository.ts'
import type { InFlightCalls } from './in-flight-calls.ts'
import { isAllowedCaller } from './is-allowed-caller.ts'
import { readMessages, type Messages } from './json-rpc.ts'
import { mcpDocuments } from './mcp-documents.ts'
import type { McpServer, Sender } from './mcp-server.ts'
import { sendAnswer } from './send-answer.ts'
import type { SessionIds } from './session-ids.ts'
import type { SessionStreams } from './session-streams.ts'

type Deps = {
  baseUrl: string
  findGrant(token: string, sessionId: string | undefined): Promise<Admitted | undefined>
  server: McpServer
  streams: SessionStreams
  calls: InFlightCalls
  sessions: SessionIds
  ended: EndedSessions
  rateLimit: RateLimit
  clock: Pick<Clock, 'now'>
  maxBodyBytes: number
}

type Admitted = { grant: LiveGrant; hasEndedSession: boolean }

const SESSION_HEADER = 'mcp-session-id'
const WRONG_TOKENS = { key: 'mcp:wrong-token', max: 60, seconds: 60 }

/** The MCP endpoint. Every request carries a token; a session id names its owner, so replicas hold no sessions. */
export function mcpRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { baseUrl, findGrant, server, streams, calls, sessions, ended, rateLimit, clock, maxBodyBytes } = deps
  const challenge = `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp", scope="read write"`

  /** The grant of the request and what became of its session, or undefined after a failure was sent. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<Admitted | undefined> => {
    const { host, origin, authorization, [SESSION_HEADER]: id } = request.headers
    if (!isAllowedCaller({ host, origin }, baseUrl)) {
      refuse(reply, 403, 'This host or origin is not served here.')
      return undefined
    }
    const [, token] = /^Bearer ([A-Za-z0-9._~+/=-]{1,512})$/i.exec(authorization ?? '') ?? []
    const found = token === undefined ? undefined : await findGrant(token, sessions.isFormed(id) ? id : undefined)
    if (found !== undefined) return found
    if (authorization !== undefined) await rateLimit({ ...WRONG_TOKENS, client: request.clientAddress })
    reply.header('www-authenticate', authorization === undefined ? challenge : `${challenge}, error="invalid_token"`)
    refuse(reply, 401, 'Sign in first.')
    return undefined
  }

  type FoundSession = { id: string; endsAt: Date }
  /** The session that a request names, `none` where it names none, or undefined for one that is not its own. */
  const findSession = (
    request: FastifyRequest,
    { grant, hasEndedSession }: Admitted,
  ): FoundSession | 'none' | undefined => {
    const id = request.headers[SESSION_HEADER]
    if (typeof id !== 'string') return 'none'
    const endsAt = sessions.verify(id, { userId: grant.user_id, clientId: grant.client_id }, clock.now())
    return endsAt !== undefined && !hasEndedSession ? { id, endsAt } : undefined
  }

  /** Follows files for `subscriptions/listen`; what may not be followed is refused before anything is promised. */
  const listen = async (asked: Request, { body, listens }: Messages, sender: Sender): Promise<Response> => {
    const by = { grant: sender.grant, signal: sender.gone }
    try {
      const places = await streams.placesOf(listens ?? [], by)
      return await server.listen(asked, { body, sender }, (stream) => streams.followPlaces(places, stream, by))
    } catch (error) {
      if (!isFailure(error)) throw error
      const { id } = body as { id?: unknown }
      const refused = { code: -32602, message: `${error.code}: ${error.message}` }
      return Response.json({ jsonrpc: '2.0', id: id ?? null, error: refused })
    }
  }

  const routes = (app: FastifyInstance) => {
    // Streams that only tell changes would keep the server from closing.
    app.addHook('preClose', async () => streams.endAll())
    app.setErrorHandler<FastifyError>((error, _request, reply) => {
      if (error.statusCode !== 413 && error.statusCode !== 415) throw error
      return refuse(
        reply,
        error.statusCode,
        error.statusCode === 413 ? `A message has at most ${maxBodyBytes} bytes.` : 'Send application/json.',
      )
    })
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
      const admitted = await admit(request, reply)
      if (admitted === undefined) return reply
      const { grant } = admitted
      const messages = readMessages(request.body)
      if ('code' in messages) return refuse(reply, 400, messages.message, messages.code)
      const { body, begins, cancels, listens } = messages
      const session = begins ? 'none' : findSession(request, admitted)
      if (session === undefined) return refuse(reply, 404, 'Session not found; initialize again.')
      if (session !== 'none') for (const requestId of cancels) calls.cancel({ sessionId: session.id, requestId })

      const gone = signalOfLeaving(reply)
      const sender = { grant, session: session === 'none' ? undefined : session, gone }
      const asked = toWebRequest(request, { baseUrl, signal: gone })
      const answered = listens?.length
        ? await listen(asked, messages, sender)
        : await server.fetch(asked, { body, sender })
      if (begins && answered.ok) {
        const owner = { userId: grant.user_id, clientId: grant.client_id }
        const random = randomBytes(16).toString('base64url')
        reply.header(SESSION_HEADER, sessions.mint(owner, { now: clock.now(), random }))
      }
      return sendAnswer(reply, answered)
    })

    // The stream of a session carries the changes of the resources that it follows.
    route('GET', '/mcp', async (request, reply) => {
      const admitted = await admit(request, reply)
      if (admitted === undefined) return reply
      const { grant } = admitted
      const session = findSession(request, admitted)
      if (session === undefined) return refuse(reply, 404, 'Session not found; initialize again.')
      const signal = signalOfLeaving(reply)
      const stream = session === 'none' ? undefined : streams.openOf(session, { grant, signal })
      if (stream === undefined)
        return refuse(reply.header('allow', 'POST, DELETE'), 405, 'No stream can be opened now.')
      return reply.type('text/event-stream').header('cache-control', 'no-store').send(stream)
    })

    route('DELETE', '/mcp', async (request, reply) => {
      const admitted = await admit(request, reply)
      if (admitted === undefined) return reply
      const session = findSession(request, admitted)
      if (session === undefined || session === 'none') return refuse(reply, 404, 'Session not found.')
      await ended.insert(session.id, session.endsAt)
      await streams.endSession(session.id)
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

/** Aborts when the client leaves before it has its whole response. */
function signalOfLeaving({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
