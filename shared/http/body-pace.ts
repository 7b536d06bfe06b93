import type { IncomingMessage } from 'node:http'

/** The slowest allowed rate of a body: a number of bytes within a time. */
export type BodyPace = { windowMs: number; leastBytes: number }

/**
 * A kilobyte a second, checked every half minute: slower than any real connection, faster than a client that stalls on
 * purpose.
 */
export const slowestPace: BodyPace = { windowMs: 30_000, leastBytes: 30 * 1024 }

/**
 * Calls `slow` once when the body of a request arrives more slowly than that although it is being read. Looks only at
 * byte counts of the connection, so it neither consumes nor delays the body.
 */
export function watchBody(request: IncomingMessage, { windowMs, leastBytes }: BodyPace, slow: () => void): void {
  const { headers, socket } = request
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!hasBody || request.complete) return

  let before = socket.bytesRead
  const timer = setInterval(() => {
    if (request.complete || request.destroyed) return clearInterval(timer)
    const came = socket.bytesRead - before
    before = socket.bytesRead
    // Unread bytes stop the sender: then the reader is slow, not the sender.
    if (came >= leastBytes || request.readableLength >= request.readableHighWaterMark) return
    clearInterval(timer)
    slow()
  }, windowMs)
  timer.unref()
  request.once('close', () => clearInterval(timer))
}
