import type { Clock } from '../kit/clock.ts'
import { countTransit } from '../kit/transit-garbage.ts'
import { fail } from '../wire/errors.ts'
import { TunnelStream, type StreamPort } from './tunnel-stream.ts'
import {
  bareFrame,
  checkSize,
  decodeFrames,
  frameTypes,
  jsonFrame,
  ProtocolError,
  readJson,
  resetCodes,
  resetFrame,
  TUNNEL,
  type FrameType,
} from './frame.ts'
import { Heartbeat } from './heartbeat.ts'
import { Outbox, type MessageSink } from './outbox.ts'
import { paceOf } from './pace.ts'
import { ReceiveWindow, type GrowthBudget } from './receive-window.ts'
import { StreamSocket } from './stream-socket.ts'

/** What a tunnel needs from a WebSocket; `ws` has it. */
export type TunnelSocket = MessageSink & {
  close(code: number, reason: string): void
  terminate(): void
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

export type TunnelLimits = { maxStreams: number; maxFrameBytes: number; initialWindow: number; heartbeatMs: number }

export type TunnelEvents = {
  hello?(value: unknown): void
  stream?(stream: StreamSocket): void
  goAway?(value: unknown): void
  keys?(value: unknown): void
  keysWanted?(): void
  registered?(): void
  /** A fault of ours, for which the tunnel is closed. Without a listener, it ends the process, which others may share. */
  failed?(error: unknown): void
  closed(code: number, reason: string): void
}

type TunnelOptions = {
  socket: TunnelSocket
  /** Only the relay opens streams, so their ids never collide. */
  side: 'relay' | 'daemon'
  limits: TunnelLimits
  clock: Pick<Clock, 'monotonic'>
  events: TunnelEvents
}

/** Bytes by which all windows of a tunnel may grow together. */
const GROWTH_BYTES = 16 * 1024 * 1024

/** All streams of one WebSocket between a relay and a daemon (docs/protocol/relay.md). */
export class Tunnel {
  readonly #socket: TunnelSocket
  readonly #side: TunnelOptions['side']
  readonly #events: TunnelEvents
  readonly #outbox: Outbox
  readonly #heartbeat: Heartbeat
  readonly #streams = new Map<number, TunnelStream>()
  readonly #budget: GrowthBudget = { left: GROWTH_BYTES }
  readonly #port: StreamPort
  #limits: TunnelLimits
  #lastId = 0
  #leaving = false
  #closed = false

  constructor({ socket, side, limits, clock, events }: TunnelOptions) {
    this.#socket = socket
    this.#side = side
    this.#limits = limits
    this.#events = events
    this.#outbox = new Outbox({ sink: socket, overflow: () => this.abort('the peer does not read') })
    this.#heartbeat = new Heartbeat({
      clock,
      outbox: this.#outbox,
      dead: (reason) => this.abort(reason),
    })
    this.#port = {
      outbox: this.#outbox,
      closed: (stream) => this.#forget(stream),
      pace: () => paceOf(clock.monotonic(), this.#heartbeat.roundTripMs),
    }
    this.#heartbeat.start(limits.heartbeatMs)
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    socket.on('error', () => {})
    socket.on('close', (code, reason) => this.#ended(code, reason.toString('utf8')))
  }

  /** Applies the limits that the peer's hello asks for. */
  adopt(limits: Partial<TunnelLimits>): void {
    this.#limits = { ...this.#limits, ...limits }
    this.#outbox.limitMessages(this.#limits.maxFrameBytes)
    this.#heartbeat.start(this.#limits.heartbeatMs)
    this.#heartbeat.ping()
  }

  get streamCount(): number {
    return this.#streams.size
  }

  /** True while new streams may be opened here. */
  get available(): boolean {
    return !this.#closed && !this.#leaving && this.#streams.size < this.#limits.maxStreams
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Opens a stream to the daemon, as a socket. */
  openSocket(): StreamSocket {
    return new StreamSocket(this.openStream())
  }

  /** Opens a stream to the daemon. Fails with `daemon_offline` or `relay_overloaded`. */
  openStream(): TunnelStream {
    if (this.#side !== 'relay') throw new Error('only the relay opens streams')
    if (this.#closed || this.#leaving) throw fail('daemon_offline')
    if (this.#streams.size >= this.#limits.maxStreams) throw fail('relay_overloaded')
    this.#lastId += 1
    const stream = this.#create(this.#lastId)
    this.#outbox.send(bareFrame(frameTypes.open, stream.id))
    return stream
  }

  /** Sends a JSON frame: hello, keys or go-away. */
  tell(type: FrameType, value: unknown): void {
    this.#outbox.send(jsonFrame(type, value))
  }

  askForKeys(): void {
    this.#outbox.send(bareFrame(frameTypes.keysWanted, TUNNEL))
  }

  /** Tells the daemon that requests can reach it through this tunnel. */
  confirm(): void {
    this.#outbox.send(bareFrame(frameTypes.registered, TUNNEL))
  }

  /** Opens no more streams; open ones continue. `goAway` tells the peer what to do instead. */
  leave(goAway: unknown): void {
    if (this.#leaving || this.#closed) return
    this.#leaving = true
    this.tell(frameTypes.goAway, goAway)
  }

  /** Closes the WebSocket after what is queued; every open stream is reset. */
  close(code: number, reason: string): void {
    if (this.#closed) return
    this.#outbox.finish()
    this.#socket.close(code, reason)
    this.#ended(code, reason)
  }

  /** Ends the connection at once. */
  abort(reason: string): void {
    if (this.#closed) return
    this.#socket.terminate()
    this.#ended(1006, reason)
  }

  #create(id: number): TunnelStream {
    const { initialWindow } = this.#limits
    const window = new ReceiveWindow({ initial: initialWindow, budget: this.#budget })
    const stream = new TunnelStream({ id, port: this.#port, credit: initialWindow, window })
    this.#streams.set(id, stream)
    return stream
  }

  #forget(stream: TunnelStream): void {
    this.#streams.delete(stream.id)
    this.#outbox.remove(stream)
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#closed) return
    this.#heartbeat.heard()
    countTransit(data.length)
    try {
      if (!isBinary) throw new ProtocolError('message is not binary')
      decodeFrames(data, (type, stream, payload) => this.#frame(type, stream, payload))
    } catch (error) {
      if (error instanceof ProtocolError) return this.close(1002, error.message)
      if (!this.#events.failed) throw error
      this.#events.failed(error)
      this.close(1011, 'internal')
    }
  }

  #frame(type: number, id: number, payload: Buffer): void {
    if (this.#closed) return
    checkSize(type, payload)
    if (id === TUNNEL) return this.#tunnelFrame(type, payload)
    if (type === frameTypes.open) return this.#accept(id)

    const stream = this.#streams.get(id)
    if (stream === undefined) {
      if (id > this.#lastId) throw new ProtocolError('frame of a stream that was never opened')
      return
    }
    if (type === frameTypes.data) stream.receiveData(payload)
    else if (type === frameTypes.window) stream.receiveWindow(payload.readUInt32BE())
    else if (type === frameTypes.end) stream.receiveEnd()
    else if (type === frameTypes.reset) stream.receiveReset(payload.readUInt8())
  }

  #tunnelFrame(type: number, payload: Buffer): void {
    const { hello, goAway, keys, keysWanted, registered } = this.#events
    if (type === frameTypes.ping) this.#heartbeat.answer(payload)
    else if (type === frameTypes.pong) this.#heartbeat.answered(payload)
    else if (type === frameTypes.hello) report(hello, payload)
    else if (type === frameTypes.goAway) report(goAway, payload)
    else if (type === frameTypes.keys) report(keys, payload)
    else if (type === frameTypes.keysWanted) keysWanted?.()
    else if (type === frameTypes.registered) registered?.()
  }

  #accept(id: number): void {
    if (this.#side !== 'daemon') throw new ProtocolError('only the relay opens streams')
    if (id <= this.#lastId) throw new ProtocolError('stream id was used before')
    this.#lastId = id
    const { stream } = this.#events
    if (stream === undefined || this.#streams.size >= this.#limits.maxStreams) {
      this.#outbox.send(resetFrame(id, resetCodes.refused))
      return
    }
    stream(new StreamSocket(this.#create(id)))
  }

  #ended(code: number, reason: string): void {
    if (this.#closed) return
    this.#closed = true
    this.#heartbeat.stop()
    this.#outbox.close()
    for (const stream of this.#streams.values()) stream.receiveReset(resetCodes.broken)
    this.#events.closed(code, reason)
  }
}

function report(listener: ((value: unknown) => void) | undefined, payload: Buffer): void {
  const value = readJson(payload)
  listener?.(value)
}
