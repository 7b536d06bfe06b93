import { countTransit } from '@svc/shared/kit/transit-garbage.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import {
  NothingAnswered,
  type AnswerHandler,
  type DaemonConnection,
  type DaemonRequest,
} from '../tunnels/daemon-connection.ts'
import type { DaemonPool } from '../tunnels/daemon-pool.ts'
import type { RequestEnd } from './request-end.ts'
import { responseHeaders } from './response-headers.ts'

/** So small an end goes with the head in one string: Node then makes one write of them instead of a vector of two. */
const SMALL_BYTES = 8 * 1024

type Forward = {
  request: IncomingMessage
  response: ServerResponse
  pool: DaemonPool
  target: string
  headers: string[]
  secure: boolean
  /** Comes when the browser has gone, or has no right to the answer any more. */
  ending: RequestEnd
  /** Told of the bytes of both bodies. */
  count: (bytes: number) => void
  /** Told of a failure of which the browser has seen nothing; any later one cuts its answer. */
  refused: (error: Error) => void
}

/**
 * Sends a request to the daemon and its answer back, both as streams: memory holds no more than a few buffers of either.
 * Throws, or tells `refused`, while the browser has seen none of the answer.
 */
export function forwardRequest(forward: Forward): void {
  const { request, response, pool, target, headers, secure, ending, count, refused } = forward
  const method = request.method ?? 'GET'
  const body = bodyOf(request)
  const resume = () => connection?.resume()
  const finish = () => {
    connection = undefined
    response.off('drain', resume)
    // What is left of the body is read to its end, or the browser's next request would wait behind it.
    if (body !== 'none') request.resume()
  }

  const handler: AnswerHandler = {
    head: (status, rawHeaders) => {
      const [path = ''] = target.split('?', 1)
      response.writeHead(status, responseHeaders({ status, rawHeaders, path, secure }))
    },
    data: (chunk, last) => {
      count(chunk.length)
      if (!last) return response.write(chunk)
      if (chunk.length > SMALL_BYTES) response.end(chunk)
      else response.end(chunk.toString('latin1'), 'latin1')
      return true
    },
    drained: () => void request.resume(),
    complete: () => {
      finish()
      if (!response.writableEnded) response.end()
    },
    failed: (error) => {
      finish()
      if (response.headersSent || response.destroyed) response.destroy()
      else refused(translate(error))
    },
  }

  let connection: DaemonConnection | undefined = pool.send({ method, target, headers, body }, handler)
  response.on('drain', resume)
  ending.onEnd(() => {
    if (response.writableFinished) return
    connection?.abort()
    finish()
    response.destroy()
  })
  if (body === 'none') return
  request.on('data', (chunk: Buffer) => {
    if (connection === undefined) return
    count(chunk.length)
    countTransit(chunk.length)
    if (!connection.write(chunk)) request.pause()
  })
  request.once('end', () => connection?.endBody())
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
  if (error instanceof NothingAnswered || isFailure(error)) return error
  return fail('daemon_unreachable', undefined, { cause: error })
}
