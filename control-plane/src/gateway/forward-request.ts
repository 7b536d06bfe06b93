import { countTransit } from '@svc/shared/kit/transit-garbage.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import {
  NoResponse,
  type ResponseHandler,
  type DaemonConnection,
  type DaemonRequest,
} from '../tunnels/daemon-connection.ts'
import type { DaemonPool } from '../tunnels/daemon-pool.ts'
import { RequestBody } from './request-body.ts'
import type { RequestEnd } from './request-end.ts'
import { ResponseBody } from './response-body.ts'
import { responseHeaders } from './response-headers.ts'

type Forward = {
  request: IncomingMessage
  response: ServerResponse
  pool: DaemonPool
  target: string
  headers: string[]
  secure: boolean
  /** Ends when the browser is gone or may no longer receive the response. */
  requestEnd: RequestEnd
  /** Largest body. One of unknown length is ended when it is larger. */
  maxBytes: number
  /** Called with the bytes of both bodies. */
  count: (bytes: number) => void
  /** Called with a failure before the browser has received anything. A later failure aborts the response. */
  refused: (error: Error) => void
}

/**
 * Forwards a request to the daemon and the response to the browser, both as streams: memory holds a few buffers of each.
 * Throws, or calls `refused`, as long as the browser has received nothing.
 */
export function forwardRequest(forward: Forward): void {
  const { request, response, pool, target, headers, secure, requestEnd, maxBytes, count, refused } = forward
  const method = request.method ?? 'GET'
  const body = bodyOf(request)
  const answer = new ResponseBody(response, () => connection?.resume())
  const upload = new RequestBody(request, (bytes) => {
    count(bytes.length)
    countTransit(bytes.length)
    return connection?.write(bytes) ?? true
  })
  let received = 0
  const finish = () => {
    connection = undefined
    answer.discard()
    // Read the rest of the body: the next request on this connection would otherwise wait behind it.
    if (body !== 'none') upload.discard()
  }

  const handler: ResponseHandler = {
    head: (status, rawHeaders) => {
      response.writeHead(status, responseHeaders({ status, rawHeaders, target, secure }))
    },
    data: (chunk, last) => {
      count(chunk.length)
      if (!last) return answer.write(chunk)
      answer.end(chunk)
      return true
    },
    drained: () => upload.resume(),
    complete: () => {
      if (!response.writableEnded) answer.end()
      finish()
    },
    failed: (error) => {
      finish()
      if (response.headersSent || response.destroyed) response.destroy()
      else refused(translate(error))
    },
  }

  let connection: DaemonConnection | undefined = pool.send({ method, target, headers, body }, handler)
  requestEnd.onEnd(() => {
    if (response.writableFinished) return
    connection?.abort()
    finish()
    response.destroy()
  })
  if (body === 'none') return
  request.on('data', (chunk: Buffer) => {
    if (connection === undefined) return
    received += chunk.length
    if (received > maxBytes) {
      connection.abort()
      return handler.failed(fail('payload_too_large', { maxBytes }))
    }
    upload.write(chunk)
  })
  request.once('end', () => {
    upload.flush()
    connection?.endBody()
  })
}

/** True for a message that announces a body. */
export function hasBody(message: Pick<IncomingMessage, 'headers'>): boolean {
  const body = bodyOf(message)
  return body !== 'none' && body !== 0
}

/** How the body of a message is framed, as Node's parser has read it. */
function bodyOf({ headers }: Pick<IncomingMessage, 'headers'>): DaemonRequest['body'] {
  if (headers['transfer-encoding'] !== undefined) return 'chunked'
  const length = headers['content-length']
  return length === undefined ? 'none' : Number(length)
}

function translate(error: Error): Error {
  if (error instanceof NoResponse || isFailure(error)) return error
  return fail('daemon_unreachable', undefined, { cause: error })
}
