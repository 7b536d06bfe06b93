import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { openToOrigins } from '../http/cross-origin.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { hashToken } from '../oauth/oauth-provider.ts'
import type { AgentRights } from './rights/agent-rights.repository.ts'
import type { EndedSessions } from './ended-sessions.repository.ts'
import type { InFlightCalls } from './in-flight-calls.ts'
import { isAllowedCaller } from './is-allowed-caller.ts'
import { readMessages } from './json-rpc.ts'
import { mcpDocuments } from './mcp-documents.ts'
import { refuseRequest } from './refuse-request.ts'
import type { ServePost } from './serve-post.ts'
import { SESSION_HEADER, type SessionIds } from './session-ids.ts'
import type { SessionStreams } from './session-streams.ts'

type Deps = {
  baseUrl: string
  /** The audience of accepted tokens. */
  endpoint: string
  rights: Pick<AgentRights, 'findByAccessToken' | 'isIssued'>
  servePost: ServePost
  streams: SessionStreams
  calls: InFlightCalls
  sessions: SessionIds
  ended: EndedSessions
  rateLimit: RateLimit
  clock: Pick<Clock, 'now'>
  maxBodyBytes: number
}

type Admitted = NonNullable<Awaited<ReturnType<AgentRights['findByAccessToken']>>>

const WRONG_TOKENS = { key: 'mcp:wrong-token', max: 60, seconds: 60 }
const NO_SESSION = { status: 404, message: 'Session not found; initialize again.' }

/** The MCP endpoint. Every request carries a token; a session id names its owner, so replicas hold no sessions. */
export function mcpRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { baseUrl, endpoint, rights, servePost, streams, calls, sessions, ended, rateLimit, clock } = deps
  const challenge = `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp", scope="read write"`

  /** The grant of the request, and whether its session was ended; undefined after a failure was sent. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<Admitted | undefined> => {
    const { host, origin, authorization, [SESSION_HEADER]: id } = request.headers
    if (!isAllowedCaller({ host, origin }, baseUrl)) {
      refuseRequest(reply, { status: 403, message: 'This host or origin is not served here.' })
      return undefined
    }
    const [, token] = /^Bearer ([A-Za-z0-9._~+/=-]{1,512})$/i.exec(authorization ?? '') ?? []
    const found = token === undefined ? undefined : await findGrant(token, sessions.isFormed(id) ? id : undefined)
    if (found !== undefined) return found
    // A program renews an expired token when it is told so. What others guess at its address must not keep it from that.
    const isIssued = token !== undefined && (await rights.isIssued(hashToken(token)))
    if (authorization !== undefined && !isIssued) await rateLimit({ ...WRONG_TOKENS, client: request.clientAddress })
    reply.header('www-authenticate', authorization === undefined ? challenge : `${challenge}, error="invalid_token"`)
    refuseRequest(reply, { status: 401, message: 'Sign in first.' })
    return undefined
  }
  const findGrant = (token: string, sessionId: string | undefined) =>
    rights.findByAccessToken({ tokenHash: hashToken(token), resource: endpoint, sessionId })

  type FoundSession = { id: string; endsAt: Date }
  /**
   * The session that a request names; `none` if it names none; undefined if the session has ended or is not the
   * caller's.
   */
  const findSession = (
    request: FastifyRequest,
    { grant, hasEndedSession }: Admitted,
  ): FoundSession | 'none' | undefined => {
    const id = request.headers[SESSION_HEADER]
    if (typeof id !== 'string') return 'none'
    const endsAt = sessions.verify(id, { userId: grant.user_id, clientId: grant.client_id }, clock.now())
    return endsAt !== undefined && !hasEndedSession ? { id, endsAt } : undefined
  }

  const admitted = new WeakMap<FastifyRequest, Admitted>()
  const routes = (app: FastifyInstance) => {
    // Streams that only report changes would keep the server from closing.
    app.addHook('preClose', async () => streams.endAll())
    app.setErrorHandler<FastifyError>((error, _request, reply) => {
      if (error.statusCode !== 413 && error.statusCode !== 415) throw error
      const message =
        error.statusCode === 413 ? `A message has at most ${deps.maxBodyBytes} bytes.` : 'Send application/json.'
      return refuseRequest(reply, { status: error.statusCode, message })
    })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: deps.maxBodyBytes },
      async (_: unknown, text: string) => text,
    )
    const route = openToOrigins(app, {
      methods: 'GET, POST, DELETE',
      headers:
        'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID',
      exposed: 'WWW-Authenticate, Mcp-Session-Id',
      documents: mcpDocuments,
    })

    // Before the body is read: a message may be large, and anybody can send one.
    app.addHook('onRequest', async (request, reply) => {
      if (request.method === 'OPTIONS') return undefined
      const found = await admit(request, reply)
      if (found === undefined) return reply
      admitted.set(request, found)
      return undefined
    })

    route('POST', '/mcp', async (request, reply) => {
      const caller = admitted.get(request)!
      const messages = readMessages(request.body)
      if ('code' in messages) return refuseRequest(reply, { status: 400, ...messages })
      const found = messages.begins ? 'none' : findSession(request, caller)
      if (found === undefined) return refuseRequest(reply, NO_SESSION)
      const session = found === 'none' ? undefined : found
      if (session !== undefined)
        for (const requestId of messages.cancels) calls.cancel({ sessionId: session.id, requestId })
      const sender = { grant: caller.grant, session, gone: signalOfLeaving(reply) }
      return servePost(request, reply, { messages, sender })
    })

    // The stream of a session carries the changes of the resources that it follows.
    route('GET', '/mcp', async (request, reply) => {
      const caller = admitted.get(request)!
      const { grant } = caller
      const session = findSession(request, caller)
      if (session === undefined) return refuseRequest(reply, NO_SESSION)
      const signal = signalOfLeaving(reply)
      const stream = session === 'none' ? undefined : streams.openOf(session, { grant, signal })
      if (stream === undefined)
        return refuseRequest(reply.header('allow', 'POST, DELETE'), {
          status: 405,
          message: 'No stream can be opened now.',
        })
      return reply.type('text/event-stream').header('cache-control', 'no-store').send(stream)
    })

    route('DELETE', '/mcp', async (request, reply) => {
      const session = findSession(request, admitted.get(request)!)
      if (session === undefined || session === 'none')
        return refuseRequest(reply, { status: 404, message: 'Session not found.' })
      await ended.insert(session.id, session.endsAt)
      await streams.endSession(session.id)
      return reply.code(204).send()
    })
  }
  return async (app) => {
    await app.register(async (open: FastifyInstance) => routes(open))
  }
}

/** Aborts when the client leaves before it has its whole response. */
function signalOfLeaving({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  whenClosed(raw, () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
