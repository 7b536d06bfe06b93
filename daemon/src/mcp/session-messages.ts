import type { IncomingMessage } from 'node:http'
import {
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'

/** Why a request to the endpoint is not taken, as it is told to the client. */
export type RpcRefusal = { status: number; code: number; message: string; id?: RequestId | null }

const EVENTS = 'text/event-stream'
const JSON_TYPE = 'application/json'

/** The problem with the headers of a request of a session, if there is one. Pure. */
export function requestProblem({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>) {
  const accepts = (type: string) => headers.accept?.includes(type) ?? false
  if (method === 'POST' && !(accepts(JSON_TYPE) && accepts(EVENTS)))
    return refusal(406, `Send the header accept: ${JSON_TYPE}, ${EVENTS}`)
  if (method === 'GET' && !accepts(EVENTS)) return refusal(406, `Send the header accept: ${EVENTS}`)
  const version = headers['mcp-protocol-version']
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version)))
    return refusal(400, `Unknown mcp-protocol-version; known are ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`)
  return undefined
}

/**
 * The messages of a body: one, or a batch. Responses are matched to requests by id: of two requests with one id in flight, one
 * would wait forever. Pure.
 */
export function readMessages(body: unknown, isInFlight: (id: RequestId) => boolean): JSONRPCMessage[] | RpcRefusal {
  const messages: JSONRPCMessage[] = []
  const ids = new Set<RequestId>()
  for (const one of Array.isArray(body) ? (body as unknown[]) : [body]) {
    const { data } = JSONRPCMessageSchema.safeParse(one)
    if (!data) return refusal(400, 'Not a message of JSON-RPC 2.0')
    messages.push(data)
    if (!('method' in data) || !('id' in data)) continue
    const { id } = data
    if (ids.has(id) || isInFlight(id))
      return { ...refusal(400, 'A request with this id is still open; give each its own.'), id }
    ids.add(id)
  }
  return messages
}

/** The one initialize request of a body. Pure. */
export function readInitialize(body: unknown): JSONRPCMessage | RpcRefusal {
  if (Array.isArray(body)) return refusal(400, 'Send initialize alone, not in a batch')
  const message = JSONRPCMessageSchema.safeParse(body).data
  if (!message || !('id' in message) || !('method' in message))
    return refusal(400, 'Not a request of JSON-RPC 2.0: initialize needs an id')
  const problem = InitializeRequestSchema.safeParse(message).error?.issues[0]
  if (!problem) return message
  const told = `Invalid params: ${problem.path.join('.')} ${problem.message}`.slice(0, 200)
  return { status: 400, code: rpcCodes.invalidParams, message: told, id: message.id }
}

const refusal = (status: number, message: string): RpcRefusal => ({ status, code: rpcCodes.invalidRequest, message })
