import type { FastifyReply } from 'fastify'
import { rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'
import type { RpcRefusal } from '@svc/shared/wire/mcp/rpc-messages.ts'

type Refusal = Omit<RpcRefusal, 'code'> & { code?: number | undefined }

/** Sends the reason for a refusal as a JSON-RPC error. */
export const refuseRequest = (reply: FastifyReply, { status, message, code, id = null }: Refusal): FastifyReply =>
  reply
    .code(status)
    .type('application/json')
    .send({ jsonrpc: '2.0', id, error: { code: code ?? rpcCodes.invalidRequest, message } })
