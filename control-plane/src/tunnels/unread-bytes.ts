const NO_BYTES = Buffer.alloc(0)
const LEAST_ROOM_BYTES = 1024

type Search = { bytes: Buffer; offset: number; limit: number }

/**
 * Bytes of a line or head whose end has not arrived. A peer may send them one at a time: each is copied a bounded
 * number of times and searched once, so the work stays linear.
 */
export class UnreadBytes {
  #room: Buffer = NO_BYTES
  #length = 0
  /** Number of kept bytes, from the first, that have been searched. */
  #searched = 0

  /** The kept bytes followed by `chunk`. Nothing is kept afterwards. */
  take(chunk: Buffer): Buffer {
    if (this.#length === 0) return chunk
    const length = this.#length + chunk.length
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafe(Math.max(LEAST_ROOM_BYTES, 2 * this.#length, length))
      this.#room.copy(room, 0, 0, this.#length)
      this.#room = room
    }
    chunk.copy(this.#room, this.#length)
    this.#length = 0
    return this.#room.subarray(0, length)
  }

  /** Keeps the bytes from `offset` on, which the last search has covered. */
  keep(bytes: Buffer, offset: number): void {
    this.#length = bytes.length - offset
    this.#searched = this.#length
    // A copy, unless they are in the buffer already: the input may be a view into a far larger message.
    if (offset > 0 || this.#room.length === 0) this.#room = Buffer.from(bytes.subarray(offset))
  }

  /** The position of `mark`; undefined while it has not arrived, `too_far` once it can only be beyond `limit` bytes. */
  find(mark: string, { bytes, offset, limit }: Search): number | 'too_far' | undefined {
    const searched = Math.max(0, this.#searched - mark.length + 1)
    this.#searched = 0
    const end = bytes.indexOf(mark, offset + searched, 'latin1')
    if (end >= 0) {
      this.#room = NO_BYTES // readers of the body may hold views into it
      return end - offset > limit ? 'too_far' : end
    }
    return bytes.length - offset >= limit + mark.length ? 'too_far' : undefined
  }
}
