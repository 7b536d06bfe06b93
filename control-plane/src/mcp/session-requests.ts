import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Log } from '@svc/shared/kit/log.ts'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { RpcAnswer, type RpcOutput } from '@svc/shared/wire/mcp/rpc-answer.ts'
import { RpcFailure, rpcCodes, toRpcFailure } from '@svc/shared/wire/mcp/rpc-failure.ts'
import { isRequest, sessionVersions, type RpcMessage, type RpcRequest } from '@svc/shared/wire/mcp/rpc-messages.ts'
import { createDispatch } from '@svc/shared/wire/mcp/rpc-requests.ts'
import { z } from 'zod'
import { capabilities, INSTRUCTIONS, serverInfo, type PlatformFeatures, type Sender } from './platform-features.ts'

type Deps = { features: PlatformFeatures; version: string; log: Log }

const Initialize = z.object({
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  clientInfo: z.object({ name: z.string(), version: z.string() }),
})
const Progress = z.object({ _meta: z.object({ progressToken: z.union([z.string(), z.int()]) }) })

/**
 * Requests of the protocol versions with sessions (2025-03-26 to 2025-11-25). Each request comes with its sender, and
 * nothing is kept between two requests: replicas share no sessions, and callers share no state.
 */
export function createSessionRequests({ features, version, log }: Deps) {
  const dispatch = createDispatch(features)

  const initialize = ({ params }: RpcRequest) => {
    const problem = Initialize.safeParse(params).error?.issues[0]
    if (problem !== undefined) {
      const told = `Invalid params: params.${problem.path.join('.')} ${problem.message}`.slice(0, 200)
      throw new RpcFailure(rpcCodes.invalidParams, told)
    }
    const wanted = sessionVersions.find((known) => known === params?.['protocolVersion'])
    return {
      protocolVersion: wanted ?? sessionVersions[0],
      capabilities,
      serverInfo: serverInfo(version),
      instructions: INSTRUCTIONS,
    }
  }

  const resultOf = async (request: RpcRequest, sender: Sender, answer: RpcAnswer) => {
    const { method, params, id } = request
    if (method === 'initialize') return initialize(request)
    if (method === 'ping') return {}
    const { _meta: meta } = Progress.safeParse(params).data ?? {}
    const progressToken = meta?.progressToken
    const progress = (seconds: number) =>
      answer.event({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: seconds, message: `running for ${seconds} s` },
      })
    return dispatch(request, { ...sender, id, progress: progressToken === undefined ? undefined : progress })
  }

  const serve = async (request: RpcRequest, sender: Sender, answer: RpcAnswer): Promise<void> => {
    const { id } = request
    try {
      answer.result({ jsonrpc: '2.0', id, result: await resultOf(request, sender, answer) })
    } catch (error) {
      const { code, message, data } = toRpcFailure(error)
      if (code === rpcCodes.internal) log.error({ err: error }, 'an MCP request failed by a bug')
      answer.result({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } })
    }
  }

  return {
    /**
     * Serves the messages of a POST. Notifications are accepted. Responses are ignored, because the endpoint sends
     * clients no requests.
     */
    answer: (messages: readonly RpcMessage[], sender: Sender, reply: FastifyReply): FastifyReply => {
      const requests = messages.filter(isRequest)
      if (requests.length === 0) return reply.code(202).send()
      const answer = new RpcAnswer({ requests: requests.length, output: outputOf(reply) })
      whenClosed(reply.raw, () => answer.leave())
      for (const request of requests) void serve(request, sender, answer)
      return reply
    },
  }
}

export type SessionRequests = ReturnType<typeof createSessionRequests>

function outputOf(reply: FastifyReply): RpcOutput {
  return {
    whole: (text) => void reply.type('application/json').send(text),
    open: () => {
      const stream = new PassThrough()
      // Without this line nothing would be sent before the first event, and clients give up on a silent response.
      stream.write(': open\n\n')
      void reply.type('text/event-stream').header('cache-control', 'no-store').send(stream)
      return { write: (text) => void (stream.writable && stream.write(text)), end: () => void stream.end() }
    },
  }
}
