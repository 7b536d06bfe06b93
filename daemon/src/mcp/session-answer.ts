import type { ServerResponse } from 'node:http'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { RpcAnswer, type RpcOutput } from '@svc/shared/wire/mcp/rpc-answer.ts'

type Options = { requests: number; sessionId: string }

/** The response to the requests of one POST of a session, or the stream of its GET. */
export function sessionAnswer(response: ServerResponse, { requests, sessionId }: Options): RpcAnswer {
  const output: RpcOutput = {
    whole: (text) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'mcp-session-id': sessionId,
      })
      response.end(text)
    },
    open: () => {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        'mcp-session-id': sessionId,
      })
      if (!response.destroyed) response.flushHeaders()
      const write = (text: string) => void (response.destroyed || response.writableEnded || response.write(text))
      return { write, end: () => void response.end() }
    },
  }
  const answer = new RpcAnswer({ requests, output })
  whenClosed(response, () => answer.leave())
  return answer
}
