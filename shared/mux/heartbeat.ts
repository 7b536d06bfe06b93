import type { Clock } from '../kit/clock.ts'
import { frameTypes, TUNNEL } from './frame.ts'
import type { Outbox } from './outbox.ts'

type HeartbeatOptions = {
  clock: Pick<Clock, 'monotonic'>
  /** Sends the pings. Each beat also lets it free spare memory. */
  outbox: Pick<Outbox, 'send' | 'outgoing' | 'rest'>
  dead: (reason: string) => void
}

/** Intervals without a received message, or without a sent byte, after which the tunnel is dead. */
const MISSED = 3

/** Pings the peer, measures the shortest round trip, and reports a peer that is gone or does not read. */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  #intervalMs = 0
  #timer: NodeJS.Timeout | undefined
  #heardAt: number
  #stalledSince: number | undefined
  #taken = 0
  #roundTripMs = Number.POSITIVE_INFINITY
  #answerDue = false

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#heardAt = options.clock.monotonic()
  }

  /** Shortest round trip seen; 0 before the first. */
  get roundTripMs(): number {
    return Number.isFinite(this.#roundTripMs) ? this.#roundTripMs : 0
  }

  start(intervalMs: number): void {
    if (intervalMs === this.#intervalMs) return
    clearInterval(this.#timer)
    this.#intervalMs = intervalMs
    this.#timer = setInterval(() => this.#beat(), intervalMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Sends a ping now. */
  ping(): void {
    const payload = Buffer.allocUnsafe(8)
    payload.writeDoubleBE(this.#options.clock.monotonic())
    this.#options.outbox.send({ type: frameTypes.ping, stream: TUNNEL, payload })
  }

  /** Called for every message: any message proves that the peer lives. */
  heard(): void {
    this.#heardAt = this.#options.clock.monotonic()
  }

  /** Responds to pings, once per turn of the event loop: a peer may send pings faster than it reads. */
  answer(payload: Buffer): void {
    if (this.#answerDue) return
    this.#answerDue = true
    const copy = Buffer.from(payload)
    setImmediate(() => {
      this.#answerDue = false
      this.#options.outbox.send({ type: frameTypes.pong, stream: TUNNEL, payload: copy })
    })
  }

  answered(payload: Buffer): void {
    const elapsed = this.#options.clock.monotonic() - payload.readDoubleBE()
    if (elapsed >= 0) this.#roundTripMs = Math.min(this.#roundTripMs, elapsed)
  }

  #beat(): void {
    const { clock, outbox, dead } = this.#options
    outbox.rest()
    const now = clock.monotonic()
    const patience = this.#intervalMs * MISSED
    if (now - this.#heardAt > patience) return dead('no sign of life')

    const { inFlight, taken } = outbox.outgoing
    if (inFlight === 0 || taken !== this.#taken) this.#stalledSince = undefined
    else this.#stalledSince ??= now
    this.#taken = taken
    if (this.#stalledSince !== undefined && now - this.#stalledSince > patience) return dead('the peer does not read')
    this.ping()
  }
}
