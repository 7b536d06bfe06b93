import type { Duplex } from 'node:stream'

/** Connects two byte streams: bytes, ends and resets of each pass to the other, at the reader's pace. */
export function spliceStreams(left: Duplex, right: Duplex): void {
  left.pipe(right)
  right.pipe(left)
  follow(left, right)
  follow(right, left)
}

/** Closes `other` after `one` has closed. */
function follow(one: Duplex, other: Duplex): void {
  one.on('error', () => {})
  one.once('close', () => {
    if (other.destroyed) return
    const complete = one.readableEnded && one.writableFinished
    if (complete) return
    // What was read is still being written to `other`; only the other direction has lost its reader.
    if (one.readableEnded && !one.errored) {
      if (other.writableFinished) other.destroy()
      else other.once('finish', () => other.destroy())
    } else other.destroy(one.errored ?? undefined)
  })
}
