import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'
import { isRequest, isSessionVersion, readRpcMessages, requestProblem } from '@svc/shared/wire/mcp/rpc-messages.ts'
import type { Messages } from './json-rpc.ts'
import type { ModernRequests } from './modern-requests.ts'
import type { Sender } from './platform-features.ts'
import { refuseRequest } from './refuse-request.ts'
import { sendAnswer } from './send-answer.ts'
import { SESSION_HEADER, type SessionIds } from './session-ids.ts'
import type { SessionRequests } from './session-requests.ts'
import type { SessionStreams } from './session-streams.ts'

type Deps = {
  baseUrl: string
  sessionRequests: SessionRequests
  modern: ModernRequests
  streams: Pick<SessionStreams, 'placesOf' | 'followPlaces'>
  sessions: Pick<SessionIds, 'mint'>
  clock: Pick<Clock, 'now'>
}
type Post = { messages: Messages; sender: Sender }

// Clients of the earliest versions with sessions send no version.
const FIRST_SESSION_VERSION = '2025-03-26'

/** Serves the messages of a POST by their version of the protocol. */
export function createServePost({ baseUrl, sessionRequests, modern, streams, sessions, clock }: Deps) {
  /**
   * Follows files for `subscriptions/listen`. Files that may not be followed are refused before the response begins.
   */
  const listen = async (request: Request, { messages: { body, listens = [] }, sender }: Post): Promise<Response> => {
    const by = { grant: sender.grant, signal: sender.gone }
    try {
      const places = await streams.placesOf(listens, by)
      return await modern.listen(request, { body, sender }, ({ ended, ...stream }) =>
        streams.followPlaces(places, stream, { ...by, signal: AbortSignal.any([by.signal, ended]) }),
      )
    } catch (error) {
      if (!isFailure(error)) throw error
      const { id } = body as { id?: unknown }
      const refused = { code: rpcCodes.invalidParams, message: `${error.code}: ${error.message}` }
      return Response.json({ jsonrpc: '2.0', id: id ?? null, error: refused })
    }
  }

  /** The response to messages of version 2026-07-28; undefined for messages of other versions. */
  const answerModern = async (request: FastifyRequest, post: Post): Promise<Response | undefined> => {
    const { messages, sender } = post
    const asked = toWebRequest(request, { baseUrl, signal: sender.gone })
    if (messages.listens?.length) return listen(asked, post)
    if (!(await modern.takes(asked, messages.body))) return undefined
    return modern.fetch(asked, { body: messages.body, sender })
  }

  return async (request: FastifyRequest, reply: FastifyReply, post: Post): Promise<FastifyReply> => {
    const { messages, sender } = post
    const { body, begins } = messages
    const version = request.headers['mcp-protocol-version'] ?? FIRST_SESSION_VERSION
    // Creating a web request costs as much as a small tool, so do not create one for a message that belongs to a
    // session.
    const isOfSession = begins || (sender.session !== undefined && isSessionVersion(version))
    const answered = isOfSession ? undefined : await answerModern(request, post)
    if (answered !== undefined) return sendAnswer(reply, answered)

    const read = requestProblem(request) ?? readRpcMessages(body, () => false)
    if (!Array.isArray(read)) return refuseRequest(reply, read)
    if (begins && (Array.isArray(body) || !read.every(isRequest)))
      return refuseRequest(reply, { status: 400, message: 'Send initialize as one request, not in a batch.' })
    if (begins) {
      const owner = { userId: sender.grant.user_id, clientId: sender.grant.client_id }
      const random = randomBytes(16).toString('base64url')
      reply.header(SESSION_HEADER, sessions.mint(owner, { now: clock.now(), random }))
    }
    return sessionRequests.answer(read, sender, reply)
  }
}

export type ServePost = ReturnType<typeof createServePost>

/** The request with these headers only: the token stays with the routes. */
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
