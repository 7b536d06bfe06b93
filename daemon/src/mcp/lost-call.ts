import { RpcFailure, rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'

/** The failure of a request whose result can no longer be sent: without one, the client would wait until its timeout. */
export const lostCall = (): RpcFailure =>
  new RpcFailure(
    rpcCodes.internal,
    'The daemon or its session ended during the call. It may have been made: read again before you repeat it.',
  )
