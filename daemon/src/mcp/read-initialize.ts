import { InitializeRequestSchema, JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'
import { refusal, type RpcRefusal } from '@svc/shared/wire/mcp/rpc-messages.ts'

/** The one initialize request of a body, as the SDK takes it. Pure. */
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
