import { IncomingMessage } from 'node:http'
import { SMALL_CHUNK_BYTES } from '@svc/shared/mux/chunk-queue.ts'
import { GrowingBuffer } from '@svc/shared/mux/growing-buffer.ts'

/** Small chunks are held until they are this many bytes. */
const MAX_HELD_BYTES = 16 * 1024
/** After so many small chunks, the connection is read again in the next turn of the event loop. */
const MAX_SMALL_A_TURN = 4096

/**
 * The body of a request to a daemon. Large chunks pass through without a copy. Small ones are joined and sent once per
 * turn of the event loop, because a browser may send a body one byte at a time.
 */
export class RequestBody {
  readonly #request: IncomingMessage
  /** Sends bytes to the daemon. False asks to wait until `resume`. */
  readonly #send: (bytes: Buffer) => boolean
  readonly #held = new GrowingBuffer()
  /** Number of small chunks of this turn. */
  #small = 0
  #scheduled = false
  #stopped = false
  #waits = false

  constructor(request: IncomingMessage, send: (bytes: Buffer) => boolean) {
    this.#request = request
    this.#send = send
  }

  write(chunk: Buffer): void {
    if (chunk.length >= SMALL_CHUNK_BYTES) {
      this.flush()
      return this.#write(chunk)
    }
    this.#held.append(chunk)
    if (this.#held.length >= MAX_HELD_BYTES) this.flush()
    this.#small += 1
    if (this.#small === MAX_SMALL_A_TURN) this.#stop()
    this.#schedule()
  }

  /** Sends what is held. */
  flush(): void {
    if (this.#held.length > 0) this.#write(this.#held.take())
  }

  /** The daemon takes more bytes. */
  resume(): void {
    this.#waits = false
    this.#start()
    this.#request.resume()
  }

  /** Forgets what is held, and reads the rest of the body for nobody. */
  discard(): void {
    this.#held.clear()
    this.resume()
  }

  #write(bytes: Buffer): void {
    if (this.#send(bytes) || this.#waits) return
    this.#waits = true
    this.#stop()
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#small = 0
      this.flush()
      // Not earlier: what has been read already is still joined here, and would not be in the request's own buffer.
      if (this.#waits) this.#request.pause()
      else this.#start()
    })
  }

  /**
   * Stops reading the connection at once. A paused request would first fill its own buffer, with one object for each
   * chunk of one byte, and would start reading again until then.
   */
  #stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    // eslint-disable-next-line no-underscore-dangle -- the name that Node gives it
    this.#request._read = ignore
    this.#request.socket.pause()
  }

  #start(): void {
    if (!this.#stopped) return
    this.#stopped = false
    // eslint-disable-next-line no-underscore-dangle -- the name that Node gives it
    this.#request._read = IncomingMessage.prototype._read
    this.#request.socket.resume()
  }
}

function ignore(): void {}
