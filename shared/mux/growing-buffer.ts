const LEAST_ROOM_BYTES = 64
/** A longer buffer is allocated by itself. In Node's pool it would keep all that was allocated beside it. */
const POOLED_BYTES = 1024

/**
 * Joins small pieces of bytes by copying them. A list of pieces would cost far more than the bytes: a `Buffer` of one
 * byte takes over a hundred.
 */
export class GrowingBuffer {
  #room: Buffer | undefined
  #length = 0

  /** Number of bytes. */
  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (this.#room === undefined || length > this.#room.length) this.#grow(length)
    this.#room!.set(piece, this.#length)
    this.#length = length
  }

  /** Returns the bytes and is empty afterwards. */
  take(): Buffer {
    const bytes = this.#room?.subarray(0, this.#length) ?? Buffer.alloc(0)
    this.clear()
    return bytes
  }

  clear(): void {
    this.#room = undefined
    this.#length = 0
  }

  #grow(length: number): void {
    const before = this.#room
    const bytes = Math.max(LEAST_ROOM_BYTES, 2 * (before?.length ?? 0), length)
    this.#room = bytes < POOLED_BYTES ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes)
    before?.copy(this.#room, 0, 0, this.#length)
  }
}
