import { isFailure } from '../errors.ts'

/** Codes of JSON-RPC and MCP. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  noSession: -32001,
  resourceNotFound: -32002,
} as const

/** A failure of a request that is not a tool call. Both SDKs return its code and message. */
export class RpcFailure extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/**
 * An expected failure of a verb as a failure of the protocol; anything else is a bug, and the client learns no details.
 */
export function toRpcFailure(thrown: unknown, data?: unknown): RpcFailure {
  if (thrown instanceof RpcFailure) return thrown
  if (isFailure(thrown, 'not_found')) return new RpcFailure(rpcCodes.resourceNotFound, 'Resource not found', data)
  if (isFailure(thrown)) return new RpcFailure(rpcCodes.invalidParams, `${thrown.code}: ${thrown.message}`, data)
  return new RpcFailure(rpcCodes.internal, 'Internal error')
}
