import type { ServerResponse } from 'node:http'
import { SMALL_CHUNK_BYTES } from '@svc/shared/mux/chunk-queue.ts'
import { GrowingBuffer } from '@svc/shared/mux/growing-buffer.ts'
import { keepable } from '@svc/shared/mux/keepable.ts'

/** Send a small body in the same string as the head: one write instead of a `writev` of two buffers. */
const SMALL_BODY_BYTES = 8 * 1024
/** Small chunks are held until they are this many bytes, so that few bytes wait outside of the response. */
const MAX_HELD_BYTES = 16 * 1024

/**
 * The body of a response to a browser. Large chunks pass through without a copy. Small ones are joined and written once
 * per turn of the event loop, or later if the browser does not read: each write costs far more than a few bytes, and a
 * daemon may send a body one byte at a time.
 */
export class ResponseBody {
  readonly #response: ServerResponse
  /** Called when the browser has read everything, after `write` returned false. */
  readonly #drained: () => void
  readonly #held = new GrowingBuffer()
  #scheduled = false
  #waits = false

  constructor(response: ServerResponse, drained: () => void) {
    this.#response = response
    this.#drained = drained
  }

  /** Sends bytes, which the caller may reuse. False asks to wait until the browser has read what it was sent. */
  write(chunk: Buffer): boolean {
    if (chunk.length < SMALL_CHUNK_BYTES) {
      this.#held.append(chunk)
      if (this.#held.length >= MAX_HELD_BYTES) this.#writeHeld()
      else this.#schedule()
    } else {
      this.#writeHeld()
      this.#write(keepable(chunk))
    }
    return !this.#waits
  }

  /** Sends the last bytes, after those that are held. */
  end(last?: Buffer): void {
    if (this.#held.length === 0) return this.#end(last)
    if (last !== undefined && last.length >= SMALL_CHUNK_BYTES) {
      this.#writeHeld()
      return this.#end(last)
    }
    if (last !== undefined) this.#held.append(last)
    this.#end(this.#held.take())
  }

  /** Forgets what has not been written. */
  discard(): void {
    this.#held.clear()
  }

  #end(bytes: Buffer | undefined): void {
    if (bytes === undefined) this.#response.end()
    else if (bytes.length > SMALL_BODY_BYTES) this.#response.end(keepable(bytes))
    else this.#response.end(bytes.toString('latin1'), 'latin1')
  }

  #schedule(): void {
    if (this.#scheduled || this.#waits) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (!this.#waits) this.#writeHeld()
    })
  }

  #writeHeld(): void {
    if (this.#held.length > 0) this.#write(this.#held.take())
  }

  #write(bytes: Buffer): void {
    if (this.#response.write(bytes) || this.#waits) return
    this.#waits = true
    this.#response.once('drain', () => {
      this.#waits = false
      this.#writeHeld()
      if (!this.#waits) this.#drained()
    })
  }
}
