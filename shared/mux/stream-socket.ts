import { Duplex } from 'node:stream'
import { fail } from '../wire/errors.ts'
import { ChunkQueue } from './chunk-queue.ts'
import { keepable } from './keepable.ts'
import type { TunnelStream } from './tunnel-stream.ts'
import { resetCodes } from './frame.ts'

type Done = (error?: Error | null) => void

const HIGH_WATER_MARK = 64 * 1024
const SMALL_BYTES = 16 * 1024

/**
 * A stream as a Node socket, with what Node's HTTP needs from one: it works for `server.emit('connection', socket)` and
 * for `createConnection` of a client. It listens for its own errors, so that a reset cannot crash the process.
 */
export class StreamSocket extends Duplex {
  readonly connecting = false
  /** Idle time before `timeout` is emitted, as on a Node socket. */
  timeout = 0
  /** Bytes that arrived, as on a Node socket. */
  bytesRead = 0
  readonly #stream: TunnelStream
  #done: Done | undefined
  /** Bytes that were passed to Node's buffer and not read from it. */
  #passed = 0
  /**
   * What waits until Node's own buffer is empty. That one keeps each chunk, and the peer may send megabytes in chunks of
   * one byte. It gets one at a time, so a read without a size has nothing to join.
   */
  readonly #waiting = new ChunkQueue()
  /**
   * Keeps running while `timeout` is 0, without effect: an HTTP server turns its timeout off and on with each request.
   */
  #timer: NodeJS.Timeout | undefined
  #timerMs = 0

  constructor(stream: TunnelStream) {
    super({ highWaterMark: HIGH_WATER_MARK })
    this.#stream = stream
    stream.attach({
      data: (payload) => this.#receive(payload),
      end: () => this.#feed(),
      progressed: () => this.#active(),
      drained: () => this.#written(),
      reset: (error) => this.#reset(error),
    })
    this.on('error', () => {})
  }

  get id(): number {
    return this.#stream.id
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send([chunk], done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    const all = chunks.map(({ chunk }) => chunk)
    this.#send(all.length > 2 ? joinSmall(all) : all, done)
  }

  override _final(done: Done): void {
    this.#stream.end()
    done()
  }

  override _read(): void {
    this.#feed()
  }

  // Node calls `_read` before the reader took its bytes, and not again until more arrive; `read` is called every time.
  override read(size?: number): unknown {
    while (size !== undefined && size > this.readableLength && this.#pass());
    const chunk: unknown = super.read(size)
    this.#feed()
    return chunk
  }

  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting.clear()
    this.#stream.close(error === null ? resetCodes.closed : resetCodes.broken)
    const written = this.#done
    this.#done = undefined
    written?.(error ?? fail('stream_reset'))
    done(error)
  }

  /** Ends the stream once what was written has left, as a socket does. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** Emits `timeout` after that many idle milliseconds; 0 turns it off. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    if (onTimeout) this.once('timeout', onTimeout)
    if (this.destroyed || ms === this.timeout) return this
    this.timeout = ms
    if (ms > 0) this.#startTimer(ms)
    return this
  }

  // A stream has neither Nagle's algorithm nor probes, and the tunnel alone keeps the process alive.
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  #startTimer(ms: number): void {
    if (ms === this.#timerMs) return void this.#timer?.refresh()
    clearTimeout(this.#timer)
    this.#timerMs = ms
    this.#timer = setTimeout(() => this.timeout > 0 && this.emit('timeout'), ms).unref()
  }

  #active(): void {
    if (this.timeout > 0) this.#timer?.refresh()
  }

  #send(chunks: Buffer[], done: Done): void {
    this.#active()
    this.#done = done
    this.#stream.write(chunks)
  }

  #receive(payload: Buffer): void {
    this.#active()
    this.bytesRead += payload.length
    this.#waiting.push(keepable(payload))
    this.#feed()
  }

  /** Passes on what waits, as long as it is read. */
  #feed(): void {
    while (this.readableLength === 0 && this.#pass());
    if (this.#stream.peerEnded && this.#waiting.isEmpty) this.push(null)
    this.#report()
  }

  #reset(error: Error | undefined): void {
    // The peer sent everything and left. Its bytes can still be read; what we write is dropped.
    if (error === undefined && this.#stream.peerEnded && !this.readableEnded) {
      this.once('end', () => this.destroy())
      this.#written()
    } else this.destroy(error)
  }

  /** Passes a chunk to Node's buffer; false when none waits. */
  #pass(): boolean {
    const chunk = this.#waiting.take()
    if (chunk === undefined) return false
    this.#passed += chunk.length
    this.push(chunk)
    return true
  }

  /** Gives the peer credit for the bytes that were read. */
  #report(): void {
    const consumed = this.#passed - this.readableLength
    if (consumed <= 0) return
    this.#passed -= consumed
    if (!this.destroyed) this.#stream.consumed(consumed)
  }

  #written(): void {
    const done = this.#done
    this.#done = undefined
    done?.()
  }
}

/** Joins many small writes into one chunk, and so one frame. Large ones are not worth the copy. */
function joinSmall(chunks: Buffer[]): Buffer[] {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return total <= SMALL_BYTES ? [Buffer.concat(chunks, total)] : chunks
}
