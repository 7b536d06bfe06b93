import type { Duplex } from 'node:stream'

/** Joins two byte streams: each byte, each end and each cancellation of one is one of the other, at the reader's pace. */
export function spliceStreams(left: Duplex, right: Duplex): void {
  left.pipe(right)
  right.pipe(left)
  follow(left, right)
  follow(right, left)
}

/** What becomes of `other` when `one` is over. */
function follow(one: Duplex, other: Duplex): void {
  one.on('error', () => {})
  one.once('close', () => {
    if (other.destroyed) return
    const complete = one.readableEnded && one.writableFinished
    if (complete) return
    // All that was read is still on its way there; only what comes back has nowhere to go.
    if (one.readableEnded && !one.errored) {
      if (other.writableFinished) other.destroy()
      else other.once('finish', () => other.destroy())
    } else other.destroy(one.errored ?? undefined)
  })
}
