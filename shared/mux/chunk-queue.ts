import { GrowingBuffer } from './growing-buffer.ts'

/** Joining a smaller chunk costs less than keeping it; a larger one is not worth the copy. */
export const SMALL_CHUNK_BYTES = 1024
/** Small chunks are joined up to this length, so that each is copied only a few times. */
const JOINED_BYTES = 16 * 1024

const TAKEN = Buffer.alloc(0)

/**
 * Bytes in the order in which they came. Large chunks pass through as they are. Small ones are joined, because a peer
 * may send megabytes in chunks of one byte: the queue then holds few buffers, and taking from it takes the same time
 * however much waits.
 */
export class ChunkQueue {
  #chunks: Buffer[] = []
  /** Index of the first chunk that was not taken. */
  #first = 0
  /** Small chunks that follow all others. */
  #joined: GrowingBuffer | undefined

  get isEmpty(): boolean {
    return this.#first === this.#chunks.length && this.#joined === undefined
  }

  /** Adds a chunk, which the caller must not change afterwards. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return
    if (chunk.length >= SMALL_CHUNK_BYTES) {
      this.#seal()
      this.#chunks.push(chunk)
      return
    }
    if (this.#joined !== undefined && this.#joined.length + chunk.length > JOINED_BYTES) this.#seal()
    this.#joined ??= new GrowingBuffer()
    this.#joined.append(chunk)
  }

  /** Removes the first bytes, at most `limit` and at most one chunk. Undefined when the queue is empty. */
  take(limit = Number.POSITIVE_INFINITY): Buffer | undefined {
    if (this.#first === this.#chunks.length) this.#seal()
    const chunk = this.#chunks[this.#first]
    if (chunk === undefined) return undefined
    if (chunk.length > limit) {
      this.#chunks[this.#first] = chunk.subarray(limit)
      return chunk.subarray(0, limit)
    }
    this.#chunks[this.#first] = TAKEN // frees its memory before the list is shortened
    this.#first += 1
    // Each chunk is moved once on average. Removing it at once would move all that wait.
    if (this.#first * 2 >= this.#chunks.length) this.#shorten()
    return chunk
  }

  clear(): void {
    this.#chunks = []
    this.#first = 0
    this.#joined = undefined
  }

  #seal(): void {
    if (this.#joined === undefined) return
    this.#chunks.push(this.#joined.take())
    this.#joined = undefined
  }

  #shorten(): void {
    if (this.#first === this.#chunks.length) this.#chunks = []
    else this.#chunks.splice(0, this.#first)
    this.#first = 0
  }
}
