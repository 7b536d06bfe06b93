type Message = object

/**
 * How a response is sent: as a whole, or as a stream of events that is opened once. Text written after its end is
 * dropped.
 */
export type RpcOutput = {
  whole(text: string): void
  /** Sends the head of a stream now, and returns the functions that write its text and end it. */
  open(): { write(text: string): void; end(): void }
}
type Options = { requests: number; output: RpcOutput }

// A result that arrives within this time is sent as a whole, in one write with the head of the response.
const HOLD_HEAD_MS = 50
// Proxies close a connection that is silent for a while.
const KEEP_ALIVE_MS = 15_000

/**
 * The response to the requests of one POST: JSON if there is one request and its result comes soon, otherwise a stream
 * of events. The stream of a GET responds to requests that never get a result. Call `leave` when the response is
 * closed.
 */
export class RpcAnswer {
  readonly #output: RpcOutput
  readonly #isBatch: boolean
  #left: number
  #hold: NodeJS.Timeout | undefined
  #keepAlive: NodeJS.Timeout | undefined
  #stream: ReturnType<RpcOutput['open']> | undefined
  #isOver = false

  constructor({ requests, output }: Options) {
    this.#output = output
    this.#isBatch = requests !== 1
    this.#left = requests
    this.#hold = setTimeout(() => this.openStream(), HOLD_HEAD_MS)
  }

  /** Sends the head of a stream now, so that the client sees that it is served. */
  openStream(): void {
    if (this.#stream || this.#isOver) return
    clearTimeout(this.#hold)
    this.#stream = this.#output.open()
    this.#keepAlive = setInterval(() => this.#stream?.write(': keepalive\n\n'), KEEP_ALIVE_MS)
  }

  /** Sends a message that is no result. */
  event(message: Message): void {
    this.openStream()
    if (!this.#isOver) this.#stream?.write(eventOf(message))
  }

  /** Sends the result of one of the requests; with the last one the response ends. */
  result(message: Message): void {
    if (this.#isBatch || this.#stream) {
      this.event(message)
      return this.skip()
    }
    if (this.#isOver) return
    this.leave()
    this.#output.whole(JSON.stringify(message))
  }

  /** Records that one of the requests gets no result. */
  skip(): void {
    this.#left -= 1
    if (this.#left === 0) this.end()
  }

  end(): void {
    this.openStream()
    if (this.#isOver) return
    this.leave()
    this.#stream?.end()
  }

  /** Sends nothing more. */
  leave(): void {
    this.#isOver = true
    clearTimeout(this.#hold)
    clearInterval(this.#keepAlive)
  }
}

const eventOf = (message: Message): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`
