import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { errors as undici, type Dispatcher, type Pool } from 'undici'
import type { Ending } from './ending.ts'
import { responseHeaders } from './response-headers.ts'

type Forward = {
  request: IncomingMessage
  response: ServerResponse
  pool: Pool
  target: string
  headers: string[]
  secure: boolean
  /** Comes when the browser has gone, or has no right to the answer any more. */
  ending: Ending
  /** Told of the bytes of both bodies. */
  count: (bytes: number) => void
}

/** Thrown when nothing of the answer has reached the browser, so that another tunnel may be tried. */
export class NothingAnswered extends Error {}

/**
 * Sends a request to the daemon and its answer back, both as streams: memory holds no more than a few buffers of either.
 * Resolves when the answer is through or cut; rejects while the browser has seen none of it.
 */
export function forwardRequest({
  request,
  response,
  pool,
  target,
  headers,
  secure,
  ending,
  count,
}: Forward): Promise<void> {
  return new Promise((resolve, reject) => {
    const [path = ''] = target.split('?', 1)
    let controller: Dispatcher.DispatchController | undefined

    let done = false
    const cut = () => {
      if (done) return
      response.destroy()
      controller?.abort(fail('stream_reset'))
    }
    const resume = () => controller?.resume()
    const finish = () => {
      done = true
      response.off('drain', resume)
    }
    response.on('drain', resume)

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started
        ending.onEnd(cut)
      },
      onResponseStart: (_started, status, _parsed, _text) => {
        if (status < 200) return // early hints stay here
        const rawHeaders = textHeaders(_started.rawHeaders)
        response.writeHead(status, responseHeaders({ status, rawHeaders, path, secure }))
      },
      onResponseData: (started, chunk) => {
        count(chunk.length)
        if (!response.write(chunk)) started.pause()
      },
      onBodySent: (chunk) => count(chunk.length),
      onResponseEnd: () => {
        finish()
        response.end()
        resolve()
      },
      onResponseError: (_started, error) => {
        finish()
        if (!response.headersSent && !response.destroyed) return reject(translate(error))
        response.destroy()
        resolve()
      },
    }

    pool.dispatch(
      {
        path: target,
        method: request.method as Dispatcher.HttpMethod,
        headers,
        // Any iterable will do; the types know of streams alone.
        body: hasBody(request) ? (wholeBody(request) as AsyncIterable<Buffer> as Readable) : null,
      },
      handler,
    )
  })
}

/**
 * The body of a request, that is read to its end even where the daemon answers before. A stream would be destroyed then,
 * and the next request on the browser's connection would wait behind bytes that nobody takes.
 */
async function* wholeBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } finally {
    request.resume()
  }
}

/** True for a message that announces a body. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

function textHeaders(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) throw new Error('raw headers are expected')
  return (raw as (Buffer | string)[]).map((item) => (typeof item === 'string' ? item : item.toString('latin1')))
}

function translate(error: Error): Error {
  if (isFailure(error, 'stream_reset')) return new NothingAnswered('the stream was reset', { cause: error })
  if (isFailure(error)) return error
  if (error instanceof undici.HeadersTimeoutError) return fail('daemon_timeout', undefined, { cause: error })
  if (error instanceof undici.SocketError) return new NothingAnswered('the stream ended', { cause: error })
  return fail('daemon_unreachable', undefined, { cause: error })
}
