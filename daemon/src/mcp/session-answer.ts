import type { ServerResponse } from 'node:http'

type Message = object
type Options = { requests: number; sessionId: string }

// A result that comes sooner is sent whole, in one write with the head of its response.
const HOLD_HEAD_MS = 50
// Proxies cut a connection that says nothing for a while.
const KEEP_ALIVE_MS = 15_000

/**
 * The response to the requests of one POST: JSON where one request has its result soon, otherwise a stream of events. The
 * stream of a GET is one to requests that are never answered.
 */
export class SessionAnswer {
  readonly #response: ServerResponse
  readonly #sessionId: string
  readonly #isBatch: boolean
  #left: number
  #hold: NodeJS.Timeout | undefined
  #keepAlive: NodeJS.Timeout | undefined

  constructor(response: ServerResponse, { requests, sessionId }: Options) {
    this.#response = response
    this.#sessionId = sessionId
    this.#isBatch = requests !== 1
    this.#left = requests
    this.#hold = setTimeout(() => this.openStream(), HOLD_HEAD_MS)
    response.once('close', () => this.#stopTimers())
  }

  /** Sends the head of a stream now, so that the client sees that it is served. */
  openStream(): void {
    this.#beginStream()
    if (!this.#response.destroyed) this.#response.flushHeaders()
  }

  /** Sends a message that is no result. */
  event(message: Message): void {
    this.#beginStream()
    this.#write(eventOf(message))
  }

  /** Sends the result of one of the requests; with the last one the response ends. */
  result(message: Message): void {
    if (!this.#isBatch && !this.#response.headersSent) return this.#sendWhole(JSON.stringify(message))
    this.event(message)
    this.skip()
  }

  /** One of the requests will not be answered. */
  skip(): void {
    this.#left -= 1
    if (this.#left === 0) this.end()
  }

  end(): void {
    this.#beginStream()
    this.#response.end()
  }

  #beginStream(): void {
    if (this.#response.headersSent || this.#response.destroyed) return
    clearTimeout(this.#hold)
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'mcp-session-id': this.#sessionId,
    })
    this.#keepAlive = setInterval(() => this.#write(': keepalive\n\n'), KEEP_ALIVE_MS)
  }

  #sendWhole(text: string): void {
    this.#response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'mcp-session-id': this.#sessionId,
    })
    this.#response.end(text)
  }

  #write(text: string): void {
    if (!this.#response.destroyed && !this.#response.writableEnded) this.#response.write(text)
  }

  #stopTimers(): void {
    clearTimeout(this.#hold)
    clearInterval(this.#keepAlive)
  }
}

const eventOf = (message: Message): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`
