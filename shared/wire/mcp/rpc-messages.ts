import { z } from 'zod'
import { parseForeign } from '../foreign-input.ts'
import { rpcCodes } from './rpc-failure.ts'

/** The versions of the protocol with sessions, the newest first. */
export const sessionVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

const jsonrpc = z.literal('2.0')
const Id = z.union([z.string(), z.int()])
const params = z.looseObject({}).optional()
const RpcRequest = z.strictObject({ jsonrpc, id: Id, method: z.string(), params })
const Notification = z.strictObject({ jsonrpc, method: z.string(), params })
const Result = z.strictObject({ jsonrpc, id: Id, result: z.looseObject({}) })
const Failure = z.strictObject({
  jsonrpc,
  id: Id.optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
})

export type RpcId = z.output<typeof Id>
export type RpcRequest = z.output<typeof RpcRequest>
type Notification = z.output<typeof Notification>
export type RpcMessage = RpcRequest | Notification | z.output<typeof Result> | z.output<typeof Failure>

/** The refusal of a request to the endpoint, as the client gets it. */
export type RpcRefusal = { status: number; code: number; message: string; id?: RpcId | null }

/** The method of an HTTP request and the headers that the protocol reads. */
type Sent = {
  method?: string | undefined
  headers: { accept?: string | undefined; 'mcp-protocol-version'?: string | string[] | undefined }
}

const EVENTS = 'text/event-stream'
const JSON_TYPE = 'application/json'

/** The problem with the headers of a request of a version with sessions, if there is one. Pure. */
export function requestProblem({ method, headers }: Sent): RpcRefusal | undefined {
  const accepts = (type: string) => headers.accept?.includes(type) ?? false
  if (method === 'POST' && !(accepts(JSON_TYPE) && accepts(EVENTS)))
    return refusal(406, `Send the header accept: ${JSON_TYPE}, ${EVENTS}`)
  if (method === 'GET' && !accepts(EVENTS)) return refusal(406, `Send the header accept: ${EVENTS}`)
  const version = headers['mcp-protocol-version']
  if (version !== undefined && !isSessionVersion(version))
    return refusal(400, `Unknown mcp-protocol-version; known are ${sessionVersions.join(', ')}`)
  return undefined
}

/** True for a version of the protocol with sessions. */
export const isSessionVersion = (version: unknown): boolean => (sessionVersions as readonly unknown[]).includes(version)

/**
 * The messages of a body: one, or a batch. Refuses an id that another request in flight has: responses are matched to
 * requests by id, so one of the two would wait forever. Pure.
 */
export function readRpcMessages(body: unknown, isInFlight: (id: RpcId) => boolean): RpcMessage[] | RpcRefusal {
  const messages: RpcMessage[] = []
  const ids = new Set<RpcId>()
  for (const one of Array.isArray(body) ? (body as unknown[]) : [body]) {
    const message = readMessage(one)
    if (!message) return refusal(400, 'Not a message of JSON-RPC 2.0')
    messages.push(message)
    if (!isRequest(message)) continue
    const { id } = message
    if (ids.has(id) || isInFlight(id))
      return { ...refusal(400, 'A request with this id is still open; give each its own.'), id }
    ids.add(id)
  }
  return messages
}

/** True for a message that wants a response. */
export const isRequest = (message: RpcMessage): message is RpcRequest => 'method' in message && 'id' in message

/** Tries only the schema of the message's own kind. A union would try all four. */
function readMessage(value: unknown): RpcMessage | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('method' in value) return parseForeign('id' in value ? RpcRequest : Notification, value).data
  return parseForeign('result' in value ? Result : Failure, value).data
}

/** A refusal with the code for an invalid request. */
export const refusal = (status: number, message: string): RpcRefusal => ({
  status,
  code: rpcCodes.invalidRequest,
  message,
})
