import { ChunkQueue, SMALL_CHUNK_BYTES } from '@svc/shared/mux/chunk-queue.ts'
import { GrowingBuffer } from '@svc/shared/mux/growing-buffer.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import type { DaemonConnection } from './daemon-connection.ts'
import { readJson } from './daemon-exchange.ts'
import type { DaemonPool } from './daemon-pool.ts'

type DaemonStream = {
  target: string
  /** Name, value, name, value, … */
  headers: readonly string[]
  body: AsyncIterable<Buffer>
  signal: AbortSignal
}

const MAX_FAILURE_BYTES = 64 * 1024

/**
 * A request whose body and response are streams, over a stream of the tunnel. Both sides wait for the slower one, so
 * memory holds at most a tunnel's window. Ends the request when the reader stops. Throws the failure that the daemon
 * returns instead of a stream.
 */
export async function* streamFromDaemon(
  pool: DaemonPool,
  { target, headers, body, signal }: DaemonStream,
): AsyncGenerator<Buffer> {
  const received = new ChunkQueue()
  let status = 0
  let over: { error?: Error } | undefined
  let news = Promise.withResolvers<void>()
  let room = Promise.withResolvers<void>()
  const tell = () => {
    news.resolve()
    room.resolve()
  }
  const end = (result: { error?: Error }) => {
    over ??= result
    tell()
  }
  const connection: DaemonConnection = pool.send(
    { method: 'POST', target, headers, body: 'chunked' },
    {
      head: (answered) => {
        status = answered
        tell()
      },
      data: (chunk) => {
        received.push(chunk.length < SMALL_CHUNK_BYTES ? chunk : Buffer.from(chunk)) // the queue copies small ones
        news.resolve()
        return false
      },
      drained: () => room.resolve(),
      complete: () => end({}),
      failed: (error) => end({ error: isFailure(error) ? error : fail('daemon_unreachable', {}, { cause: error }) }),
    },
  )
  const aborted = () => {
    // A connection whose response is complete may serve another request by now.
    if (!over) connection.abort()
    end({ error: signal.reason as Error })
  }
  signal.addEventListener('abort', aborted, { once: true })

  const send = async () => {
    for await (const chunk of body) {
      if (over) return
      room = Promise.withResolvers<void>()
      if (!connection.write(chunk) && !over) await room.promise
    }
    connection.endBody()
  }
  const sending = send().catch((error: unknown) => {
    connection.abort()
    end({ error: error as Error })
  })

  try {
    signal.throwIfAborted()
    const failure = new GrowingBuffer()
    for (;;) {
      const chunk = received.take()
      if (chunk !== undefined) {
        if (status >= 200 && status < 300) yield chunk
        else if (failure.length < MAX_FAILURE_BYTES) failure.append(chunk)
        if (received.isEmpty && !over) connection.resume()
        continue
      }
      if (over?.error) throw over.error
      if (over) break
      news = Promise.withResolvers<void>()
      await news.promise
    }
    if (status < 200 || status >= 300)
      throw readErrorBody(readJson(failure.take().toString('utf8'))) ?? fail('daemon_unreachable', { status })
  } finally {
    signal.removeEventListener('abort', aborted)
    if (!over) connection.abort()
    end({})
    await sending
  }
}
