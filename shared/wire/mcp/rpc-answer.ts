type Message = object

/** How an answer is sent: whole, or as a stream of events that is opened once. Text written after its end is dropped. */
export type RpcOutput = {
  whole(text: string): void
  /** Sends the head of a stream now, and returns how its text is written and how it ends. */
  open(): { write(text: string): void; end(): void }
}
type Options = { requests: number; output: RpcOutput }

// A result that comes sooner is sent whole, in one write with the head of its response.
const HOLD_HEAD_MS = 50
// Proxies cut a connection that says nothing for a while.
const KEEP_ALIVE_MS = 15_000

/**
 * The answer to the requests of one POST: JSON where one request has its result soon, otherwise a stream of events. The stream
 * of a GET is one to requests that are never answered. `leave` has to be called when the response is closed.
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

  /** One of the requests will not be answered. */
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

  /** Nothing more is sent. */
  leave(): void {
    this.#isOver = true
    clearTimeout(this.#hold)
    clearInterval(this.#keepAlive)
  }
}

const eventOf = (message: Message): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`
