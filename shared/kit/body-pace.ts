import type { IncomingMessage } from 'node:http'

/** How slowly a body may come: so many bytes within so long. */
export type BodyPace = { windowMs: number; leastBytes: number }

/** A kilobyte a second, looked at every half minute: slower than any line, faster than somebody who wants to hold us up. */
export const slowestPace: BodyPace = { windowMs: 30_000, leastBytes: 30 * 1024 }

/**
 * Calls `slow` once when the body of a request comes more slowly than that, although somebody reads it. Looks at the bytes
 * of the connection, so it neither takes nor delays any of the body.
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
    // What waits for the reader holds the sender up: that is not the sender's doing.
    if (came >= leastBytes || request.readableLength >= request.readableHighWaterMark) return
    clearInterval(timer)
    slow()
  }, windowMs)
  timer.unref()
  request.once('close', () => clearInterval(timer))
}
