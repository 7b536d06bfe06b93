import { placeOf } from '../kit/roster.ts'
import { fail } from '../wire/errors.ts'
import { ChunkQueue } from './chunk-queue.ts'
import { bareFrame, frameTypes, ProtocolError, resetCodes, resetFrame, windowFrame } from './frame.ts'
import type { Frame, ResetCode } from './frame.ts'
import type { Pace } from './pace.ts'
import type { ReceiveWindow } from './receive-window.ts'

/** What a stream needs from its tunnel. */
export type StreamPort = {
  /** Sends frames in order. Calls `takeInto` of a ready stream when it is that stream's turn. */
  outbox: { send(frame: Frame): void; ready(stream: TunnelStream): void }
  /** Called when the stream is closed. Later frames for it are ignored. */
  closed(stream: TunnelStream): void
  pace(): Pace
}

/** The user of a stream. The tunnel calls these while it handles a message, so none of them may throw. */
export type StreamUser = {
  /**
   * Bytes arrived. They count against the peer's credit until `consumed` is called. They are a view into a whole
   * message: code that keeps them calls `keepable`.
   */
  data(payload: Buffer): void
  /** The peer sends no more. */
  end(): void
  /** Some of the written bytes were sent. */
  progressed(): void
  /** All written bytes were sent. */
  drained(): void
  /** The peer reset the stream, or the tunnel closed. There is no error after an orderly close. */
  reset(error: Error | undefined): void
}

type StreamOptions = { id: number; port: StreamPort; credit: number; window: ReceiveWindow }

const MAX_CREDIT = 0x7fffffff
/** Frames that a stream puts into one message in its turn; `Outbox` keeps room for their headers. */
export const MAX_FRAMES_A_TURN = 16

/**
 * One byte stream in a tunnel, with flow control in both directions. Written bytes wait here for the stream's turn, and
 * `drained` says when to write more. Received bytes hold the peer back until `consumed` is called. `StreamSocket` turns
 * a stream into a Node socket.
 */
export class TunnelStream {
  readonly id: number
  readonly #port: StreamPort
  readonly #window: ReceiveWindow
  #user: StreamUser | undefined
  #credit: number
  readonly #pending = new ChunkQueue()
  #ending = false
  #endSent = false
  #peerEnded = false
  #peerReset = false
  #closed = false
  /** Bytes sent recently, halved by the outbox in each period. Distinguishes a bulk transfer from a keystroke. */
  recentBytes = 0
  recentPeriod = 0
  /** Its place among the streams that wait for their turn, used by the outbox. */
  readonly turn = placeOf<TunnelStream>(this)

  constructor({ id, port, credit, window }: StreamOptions) {
    this.id = id
    this.#port = port
    this.#credit = credit
    this.#window = window
  }

  /** Sets the user. Must be called before the first frame of the stream can arrive. */
  attach(user: StreamUser): void {
    this.#user = user
  }

  /** True while there are bytes that may be sent now. */
  get sendable(): boolean {
    return !this.#pending.isEmpty && this.#credit > 0
  }

  /** True once the peer has said that it sends no more. */
  get peerEnded(): boolean {
    return this.#peerEnded
  }

  /** True once the peer reset the stream or the tunnel closed. Bytes written from then on are dropped. */
  get peerReset(): boolean {
    return this.#peerReset
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Queues bytes. `drained` is called when they are sent: at once if there are none, or if the peer no longer reads. */
  write(chunks: readonly Buffer[]): void {
    if (this.#closed || this.#peerReset) return this.#user?.drained()
    for (const chunk of chunks) this.#pending.push(chunk)
    if (this.#pending.isEmpty) this.#user?.drained()
    else if (this.#credit > 0) this.#port.outbox.ready(this)
  }

  /** Sends no more after what is queued. */
  end(): void {
    if (this.#ending) return
    this.#ending = true
    if (!this.#pending.isEmpty || this.#closed || this.#peerReset) return
    this.#endSent = true
    this.#port.outbox.send(bareFrame(frameTypes.end, this.id))
  }

  /** Reports that received bytes were processed. The peer may then send as many more. */
  consumed(bytes: number): void {
    if (this.#peerEnded || this.#closed) return
    const grant = this.#window.consume(bytes, this.#port.pace)
    if (grant > 0) this.#port.outbox.send(windowFrame(this.id, grant))
  }

  /** Closes the stream. The peer gets a reset unless both sides had ended. */
  close(code: ResetCode): void {
    if (this.#closed) return
    this.#closed = true
    this.#pending.clear()
    const complete = this.#endSent && this.#peerEnded
    if (!complete && !this.#peerReset) this.#port.outbox.send(resetFrame(this.id, code))
    this.#window.release()
    this.#port.closed(this)
  }

  /** Moves at most `limit` bytes as data frames into `frames` and returns how many. */
  takeInto(frames: Frame[], limit: number): number {
    const allowed = Math.min(limit, this.#credit)
    let taken = 0
    for (let count = 1; count < MAX_FRAMES_A_TURN && taken < allowed; count += 1) {
      const payload = this.#pending.take(allowed - taken)
      if (payload === undefined) break
      frames.push({ type: frameTypes.data, stream: this.id, payload })
      taken += payload.length
    }
    this.#credit -= taken
    this.#user?.progressed()
    if (this.#pending.isEmpty) this.#left(frames)
    return taken
  }

  receiveData(payload: Buffer): void {
    if (this.#peerEnded) throw new ProtocolError('data after end')
    if (!this.#window.accept(payload.length)) throw new ProtocolError('more data than credit')
    if (payload.length > 0) this.#user?.data(payload)
  }

  receiveEnd(): void {
    if (this.#peerEnded) return
    this.#peerEnded = true
    this.#user?.end()
  }

  receiveWindow(bytes: number): void {
    this.#credit += bytes
    if (this.#credit > MAX_CREDIT) throw new ProtocolError('credit overflows')
    if (!this.#pending.isEmpty) this.#port.outbox.ready(this)
  }

  receiveReset(code: number): void {
    if (this.#peerReset) return
    this.#peerReset = true
    this.#pending.clear()
    if (code === resetCodes.closed) this.#user?.reset(undefined)
    else this.#user?.reset(fail(code === resetCodes.refused ? 'relay_overloaded' : 'stream_reset'))
  }

  #left(frames: Frame[]): void {
    if (this.#ending) {
      this.#endSent = true
      frames.push(bareFrame(frameTypes.end, this.id))
    }
    this.#user?.drained()
  }
}
