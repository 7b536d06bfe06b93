import { Duplex } from 'node:stream'
import { fail } from '../wire/errors.ts'
import { bareFrame, frameTypes, ProtocolError, resetCodes, resetFrame, windowFrame } from './frame.ts'
import type { Frame, ResetCode } from './frame.ts'
import type { Pace } from './pace.ts'
import type { ReceiveWindow } from './receive-window.ts'

type Done = (error?: Error | null) => void

/** What a stream needs of its tunnel. */
export type StreamPort = {
  /** Queues a frame behind all that were queued before. */
  send(frame: Frame): void
  /** The stream has bytes and credit; the tunnel takes them by `takeInto` when it is the stream's turn. */
  ready(stream: MuxStream): void
  /** The stream is over; frames that still come for it are ignored. */
  closed(stream: MuxStream): void
  pace(): Pace
}

type MuxStreamOptions = { id: number; port: StreamPort; credit: number; window: ReceiveWindow }

const HIGH_WATER_MARK = 64 * 1024
const MAX_CREDIT = 0x7fffffff
const SMALL_BYTES = 16 * 1024
/** Frames that a stream puts into one message in its turn; `Outbox` keeps room for their headers. */
export const MAX_FRAMES_A_TURN = 16

/**
 * One byte stream inside a tunnel. It has what Node's HTTP and undici ask of a socket, so it serves
 * `server.emit('connection', stream)` and a client's `connect` alike. Errors need no listener: a reset is no crash.
 */
export class MuxStream extends Duplex {
  readonly id: number
  readonly connecting = false
  /** Idle time after which `timeout` is emitted, as a socket shows it. */
  timeout = 0
  readonly #port: StreamPort
  readonly #window: ReceiveWindow
  #credit: number
  #pending: Buffer[] = []
  #done: Done | undefined
  #unread = 0
  /** Lengths of the chunks that arrived and were not read, oldest first. */
  #arrived: number[] = []
  #endSent = false
  #peerEnded = false
  #peerReset = false
  #deaf = false
  #timer: NodeJS.Timeout | undefined
  /** Bytes sent lately, halved by the tunnel as time goes by: tells a bulk transfer from a keystroke. */
  recentBytes = 0
  recentEpoch = 0

  constructor({ id, port, credit, window }: MuxStreamOptions) {
    super({ highWaterMark: HIGH_WATER_MARK })
    this.id = id
    this.#port = port
    this.#credit = credit
    this.#window = window
    this.on('error', () => {})
  }

  /** True while there are bytes that may be sent now. */
  get sendable(): boolean {
    return this.#pending.length > 0 && this.#credit > 0
  }

  /** Moves at most `limit` bytes as data frames into `frames` and answers how many. */
  takeInto(frames: Frame[], limit: number): number {
    const allowed = Math.min(limit, this.#credit)
    let taken = 0
    let used = 0
    while (taken < allowed && used < Math.min(this.#pending.length, MAX_FRAMES_A_TURN)) {
      const chunk = this.#pending[used]!
      const room = allowed - taken
      const whole = chunk.length <= room
      frames.push({ type: frameTypes.data, stream: this.id, payload: whole ? chunk : chunk.subarray(0, room) })
      taken += whole ? chunk.length : room
      if (whole) used += 1
      else this.#pending[used] = chunk.subarray(room)
    }
    if (used > 0) this.#pending.splice(0, used)
    this.#credit -= taken
    if (this.#pending.length === 0) this.#written()
    return taken
  }

  receiveData(payload: Buffer): void {
    if (this.#peerEnded) throw new ProtocolError('data after end')
    if (!this.#window.accept(payload.length)) throw new ProtocolError('more data than credit')
    this.#active()
    this.#unread += payload.length
    if (payload.length > 0) this.#arrived.push(payload.length)
    this.push(payload)
    this.#report()
  }

  receiveEnd(): void {
    this.#peerEnded = true
    this.push(null)
  }

  receiveWindow(bytes: number): void {
    this.#credit += bytes
    if (this.#credit > MAX_CREDIT) throw new ProtocolError('credit overflows')
    this.#active()
    if (this.#pending.length > 0) this.#port.ready(this)
  }

  receiveReset(code: number): void {
    this.#peerReset = true
    // The peer has sent everything and left: what it sent is still to be read, what we write reaches nobody.
    if (code === resetCodes.closed && this.#peerEnded && !this.readableEnded) {
      this.#deaf = true
      this.once('end', () => this.destroy())
      this.#pending = []
      this.#written()
    } else if (code === resetCodes.closed) this.destroy()
    else this.destroy(fail(code === resetCodes.refused ? 'relay_overloaded' : 'stream_reset'))
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#enqueue([chunk], done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#enqueue(
      chunks.map(({ chunk }) => chunk),
      done,
    )
  }

  override _final(done: Done): void {
    if (!this.#peerReset) this.#port.send(bareFrame(frameTypes.end, this.id))
    this.#endSent = true
    done()
  }

  override _read(): void {}

  // Node calls `_read` before a reader has taken its bytes and not again until more arrive; `read` sees every taking.
  // Asked for everything, Node would copy all chunks into one; they are handed out as they came.
  override read(size?: number): unknown {
    const chunk: unknown = super.read(size === undefined ? this.#arrived[0] : size)
    this.#report()
    return chunk
  }

  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#timer)
    this.#pending = []
    const complete = this.#endSent && this.#peerEnded
    const code: ResetCode = error === null ? resetCodes.closed : resetCodes.broken
    if (!complete && !this.#peerReset) this.#port.send(resetFrame(this.id, code))
    this.#window.release()
    this.#port.closed(this)
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
    clearTimeout(this.#timer)
    this.#timer = ms > 0 ? setTimeout(() => this.emit('timeout'), ms).unref() : undefined
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

  #enqueue(chunks: Buffer[], done: Done): void {
    if (this.#deaf) return done()
    this.#active()
    this.#pending = chunks.length > 2 ? joinSmall(chunks) : chunks
    if (this.#pending.every((chunk) => chunk.length === 0)) this.#pending = []
    this.#done = done
    if (this.#pending.length === 0) this.#written()
    else if (this.#credit > 0) this.#port.ready(this)
  }

  #report(): void {
    const consumed = this.#unread - this.readableLength
    if (consumed <= 0) return
    this.#unread -= consumed
    this.#dropArrived(consumed)
    const grant = this.#window.consume(consumed, this.#port.pace())
    if (grant > 0 && !this.#peerEnded && !this.destroyed) this.#port.send(windowFrame(this.id, grant))
  }

  #dropArrived(bytes: number): void {
    let left = bytes
    while (left > 0 && this.#arrived.length > 0) {
      const first = this.#arrived[0]!
      if (first > left) this.#arrived[0] = first - left
      else this.#arrived.shift()
      left -= first
    }
  }

  #written(): void {
    const done = this.#done
    this.#done = undefined
    done?.()
  }

  #active(): void {
    this.#timer?.refresh()
  }
}

/** Many small writes become one chunk, and so one frame; large ones are not worth a copy. */
function joinSmall(chunks: Buffer[]): Buffer[] {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return total <= SMALL_BYTES ? [Buffer.concat(chunks, total)] : chunks
}
