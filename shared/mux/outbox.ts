import { Roster } from '../kit/roster.ts'
import { MAX_FRAMES_A_TURN, type TunnelStream } from './tunnel-stream.ts'
import { encodeFrames, FRAME_HEADER_BYTES } from './frame.ts'
import type { Frame } from './frame.ts'

/** What the outbox needs of a WebSocket. */
export type MessageSink = {
  send(message: Uint8Array, sent: (error?: Error) => void): void
  /** Returns the bytes that have to precede a message of that length in the same buffer. */
  lead?(length: number): Uint8Array
}

/** Frames of one turn of the event loop travel in one message of about this size at most. */
const MAX_MESSAGE_BYTES = 128 * 1024
/** Data waits here while the operating system has more than this to send. */
const MAX_IN_FLIGHT_BYTES = 256 * 1024
/** Bytes that a stream sends before the next stream has its turn. */
const QUANTUM_BYTES = 32 * 1024
/** A stream that sent less than this recently goes ahead of bulk transfers. */
const SPARSE_BYTES = 16 * 1024
/** A period ends after this many bytes of the whole tunnel. Each period halves `recentBytes` of every stream. */
const PERIOD_BYTES = 512 * 1024
/** A message of this size or more is encoded into a buffer that is reused. */
const REUSE_BYTES = 32 * 1024
const ROOM_BYTES = MAX_MESSAGE_BYTES + 16 * 1024
/**
 * When so many streams have become ready in one turn, the message is sent without waiting for more: the peer then has
 * enough work.
 */
const MAX_READY = 8
const MAX_SPARE = 3
/** Unread control frames may not grow beyond this; a peer that does not read is cut off. */
const MAX_CONTROL_BYTES = 1024 * 1024

/** Shared by idle tunnels and never added to. */
const NONE = new Roster<TunnelStream>()

type OutboxOptions = { sink: MessageSink; overflow: () => void }

/**
 * Everything that a tunnel sends, in order: control frames as they come, data in turns, sparse streams first. Data
 * waits in its stream until it is sent, so memory here is bounded by one message.
 */
export class Outbox {
  readonly #sink: MessageSink
  readonly #overflow: () => void
  /** Streams that wait for their turn. Allocated with the first one, because most tunnels are idle. */
  #sparse = NONE
  #bulk = NONE
  #frames: Frame[] = []
  #bytes = 0
  #inFlight = 0
  #taken = 0
  #period = 0
  #periodBytes = 0
  #maxMessageBytes = MAX_MESSAGE_BYTES
  /** Buffers of sent messages, for reuse: a bulk transfer would otherwise produce garbage as fast as it sends. */
  #spare: Buffer[] = []
  #scheduled = false
  #readied = 0
  #closed = false

  constructor({ sink, overflow }: OutboxOptions) {
    this.#sink = sink
    this.#overflow = overflow
  }

  /** Bytes waiting for the operating system, and bytes that it has taken so far. */
  get outgoing(): { inFlight: number; taken: number } {
    return { inFlight: this.#inFlight, taken: this.#taken }
  }

  /** Maximum size of a message that the peer accepts. */
  limitMessages(bytes: number): void {
    this.#maxMessageBytes = Math.min(MAX_MESSAGE_BYTES, bytes)
  }

  send(frame: Frame): void {
    if (this.#closed) return
    this.#frames.push(frame)
    this.#bytes += FRAME_HEADER_BYTES + frame.payload.length
    if (this.#bytes >= this.#maxMessageBytes) this.#flush()
    else this.#schedule()
    if (this.#inFlight > MAX_IN_FLIGHT_BYTES + MAX_CONTROL_BYTES) this.#overflow()
  }

  ready(stream: TunnelStream): void {
    if (this.#closed) return
    // A stream that is written to again and again counts once. Its chunks would otherwise leave a few at a time.
    if (stream.turn.roster === undefined) this.#readied += 1
    this.#age(stream)
    this.#queue(stream)
    this.#schedule()
    if (this.#readied >= MAX_READY) this.#pump()
  }

  remove(stream: TunnelStream): void {
    stream.turn.roster?.remove(stream.turn)
  }

  /** Frees the spare buffers. Called with each heartbeat. */
  rest(): void {
    if (this.#inFlight === 0) this.#spare = []
  }

  /** Sends at once what is queued, before the WebSocket is closed. */
  finish(): void {
    this.#flush()
    this.close()
  }

  close(): void {
    this.#closed = true
    this.#frames = []
    this.#bytes = 0
    this.#sparse = NONE
    this.#bulk = NONE
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#pump()
    })
  }

  #pump(): void {
    this.#readied = 0
    if (this.#closed) return
    while (this.#inFlight < MAX_IN_FLIGHT_BYTES) {
      this.#fill()
      if (this.#frames.length === 0) return
      this.#flush()
    }
    this.#flush()
  }

  #fill(): void {
    while (this.#bytes < this.#maxMessageBytes) {
      const stream = (this.#sparse.first ?? this.#bulk.first)?.member
      if (stream === undefined) return
      this.remove(stream)
      const room = this.#maxMessageBytes - this.#bytes - FRAME_HEADER_BYTES * MAX_FRAMES_A_TURN
      if (room <= 0) {
        this.#queue(stream)
        return
      }
      const before = this.#frames.length
      // No other stream waits, so this one may fill the message.
      const alone = this.#sparse.isEmpty && this.#bulk.isEmpty
      const taken = stream.takeInto(this.#frames, alone ? room : Math.min(QUANTUM_BYTES, room))
      this.#bytes += taken + (this.#frames.length - before) * FRAME_HEADER_BYTES
      this.#age(stream)
      stream.recentBytes += taken
      this.#periodBytes += taken
      if (stream.sendable) this.#queue(stream)
    }
  }

  #queue(stream: TunnelStream): void {
    if (this.#sparse === NONE) {
      this.#sparse = new Roster()
      this.#bulk = new Roster()
    }
    const wanted = stream.recentBytes < SPARSE_BYTES ? this.#sparse : this.#bulk
    const { turn } = stream
    if (turn.roster === wanted) return
    turn.roster?.remove(turn)
    wanted.add(turn)
  }

  #age(stream: TunnelStream): void {
    if (this.#periodBytes >= PERIOD_BYTES) {
      this.#period += 1
      this.#periodBytes = 0
    }
    const passed = this.#period - stream.recentPeriod
    if (passed > 0) stream.recentBytes /= 2 ** Math.min(passed, 30)
    stream.recentPeriod = this.#period
  }

  #flush(): void {
    if (this.#frames.length === 0) return
    const room = this.#bytes >= REUSE_BYTES ? (this.#spare.pop() ?? Buffer.allocUnsafeSlow(ROOM_BYTES)) : undefined
    const message = encodeFrames(this.#frames, { room, sink: this.#sink })
    this.#frames = []
    this.#bytes = 0
    this.#inFlight += message.length
    this.#sink.send(message, () => {
      this.#inFlight -= message.length
      this.#taken += message.length
      if (room !== undefined && this.#spare.length < MAX_SPARE) this.#spare.push(room)
      if (!this.#sparse.isEmpty || !this.#bulk.isEmpty) this.#schedule()
    })
  }
}
