import { ByteLengthQueuingStrategy, ReadableStream } from 'node:stream/web'

/** A stream of notifications with more unread bytes ends. Its client opens another and reads the files again. */
export const MAX_UNREAD_BYTES = 256 * 1024

type Limited = { body: ReadableStream<Uint8Array>; ended: AbortSignal }

/**
 * The same stream, which ends when its reader falls behind; `ended` aborts at its end. The protocol's server queues
 * notifications without a limit.
 */
export function limitUnread(source: ReadableStream<Uint8Array>): Limited {
  const reader = source.getReader()
  const ended = new AbortController()
  const stop = async (reason?: unknown): Promise<void> => {
    ended.abort()
    await reader.cancel(reason).catch(() => {})
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start: (queue) => {
        const copy = async (): Promise<void> => {
          for (let part = await reader.read(); !part.done; part = await reader.read()) {
            if (ended.signal.aborted) return
            queue.enqueue(part.value)
            if ((queue.desiredSize ?? 0) < 0) break
          }
          if (ended.signal.aborted) return
          queue.close()
          await stop()
        }
        copy().catch(async (error: unknown) => {
          queue.error(error)
          await stop(error)
        })
      },
      cancel: stop,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
  )
  return { body, ended: ended.signal }
}
