import { SMALL_CHUNK_BYTES } from '@svc/shared/mux/chunk-queue.ts'
import type { TunnelStream } from '@svc/shared/mux/tunnel-stream.ts'
import { resetCodes } from '@svc/shared/mux/frame.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { ResponseParser, type ResponseReader } from './response-parser.ts'

export type DaemonRequest = {
  method: string
  /** Path and query for the daemon. */
  target: string
  /** Name, value, name, value, … without those that frame the body. */
  headers: readonly string[]
  /** How the body is framed: none, a number of bytes, or chunked. */
  body: 'none' | 'chunked' | number
}

/** Receives the events of one request. `complete` or `failed` is the last. */
export type ResponseHandler = {
  /** A status of 200 or more, and names in lower case. If it throws, the request fails with that error. */
  head(status: number, headers: string[]): void
  /** Bytes of the body. False asks the daemon to wait until `resume`. */
  data(chunk: Buffer, last: boolean): boolean
  /** Everything written of the body has been sent; more may be written. */
  drained(): void
  complete(): void
  failed(error: Error): void
}

/** The daemon disconnected before it responded, so another tunnel may be tried. */
export class NoResponse extends Error {}

/** Bytes of a body that may be queued before the writer has to wait. */
const HIGH_WATER_MARK = 256 * 1024
/** Give up on a daemon that should respond but sends no byte for so many seconds. */
const SILENCE_SECONDS = 120
const IDLE_SECONDS = 30
const CRLF = Buffer.from('\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

type Options = {
  stream: TunnelStream
  freed: (connection: DaemonConnection) => void
  over: (c: DaemonConnection) => void
}

/** HTTP/1.1 over one stream of a tunnel: one request at a time, for as long as both sides keep the connection open. */
export class DaemonConnection {
  readonly #stream: TunnelStream
  readonly #parser = new ResponseParser()
  readonly #reader: ResponseReader = {
    head: (status, responded) => {
      this.#responded = true
      this.#handler?.head(status, responded)
    },
    data: (chunk, last) => {
      if (this.#handler?.data(chunk, last) === false) this.#paused = true
    },
    complete: () => this.#complete(),
  }
  readonly #freed: Options['freed']
  readonly #over: Options['over']
  #handler: ResponseHandler | undefined
  #chunked = false
  #sent = true
  #queued = 0
  #wantsMore = false
  #owed = 0
  #paused = false
  #responded = false
  #reusable = false
  #quietSeconds = 0

  constructor({ stream, freed, over }: Options) {
    this.#stream = stream
    this.#freed = freed
    this.#over = over
    stream.attach({
      data: (payload) => this.#receive(payload),
      end: () => this.#ended(),
      progressed: () => void (this.#quietSeconds = 0),
      drained: () => this.#drained(),
      reset: (error) => this.#reset(error ?? fail('stream_reset')),
    })
  }

  /** True while the daemon will certainly accept another request. */
  get fresh(): boolean {
    // Its keep-alive timeout started when it sent the response, which is a moment ago.
    return this.#quietSeconds < Math.min(IDLE_SECONDS, (this.#parser.idleSeconds ?? IDLE_SECONDS) - 1)
  }

  /** Sends a request; `handler` receives the response. A body follows with `write`. */
  send({ method, target, headers, body }: DaemonRequest, handler: ResponseHandler): void {
    const head = headOf(method, target, headers, body)
    this.#handler = handler
    this.#chunked = body === 'chunked'
    this.#sent = body === 'none' || body === 0
    this.#responded = false
    this.#quietSeconds = 0
    this.#parser.expect(method, this.#reader)
    this.#write([head])
  }

  /** Sends bytes of the body. False asks to wait until `drained`. */
  write(chunk: Buffer): boolean {
    if (this.#sent || chunk.length === 0) return true
    if (this.#chunked) this.#write(framed(chunk))
    else this.#write([chunk])
    if (this.#queued < HIGH_WATER_MARK) return true
    this.#wantsMore = true
    return false
  }

  /** Ends the body. */
  endBody(): void {
    if (this.#sent) return
    this.#sent = true
    if (this.#chunked) this.#write([LAST_CHUNK])
  }

  /** The reader of the response accepts more bytes. */
  resume(): void {
    this.#paused = false
    const owed = this.#owed
    this.#owed = 0
    if (owed > 0) this.#stream.consumed(owed)
  }

  /** Ends the request and the connection. The handler receives no further event. */
  abort(): void {
    this.#handler = undefined
    this.#close()
  }

  /** Called each second: closes a connection that has been idle or silent for too long. */
  tick(): void {
    this.#quietSeconds += 1
    if (this.#handler === undefined) {
      if (!this.fresh) this.#close()
      return
    }
    const awaitsDaemon = !this.#paused && (this.#sent || this.#queued > 0)
    if (!awaitsDaemon) this.#quietSeconds = 0
    else if (this.#quietSeconds >= SILENCE_SECONDS) this.#lost(fail('daemon_timeout'))
  }

  #write(chunks: Buffer[]): void {
    for (const { length } of chunks) this.#queued += length
    this.#stream.write(chunks)
  }

  #drained(): void {
    this.#queued = 0
    if (!this.#wantsMore) return
    this.#wantsMore = false
    this.#handler?.drained()
  }

  #receive(payload: Buffer): void {
    this.#quietSeconds = 0
    try {
      this.#parser.feed(payload)
    } catch (error) {
      return this.#lost(error as Error)
    }
    if (this.#paused) this.#owed += payload.length
    else this.#stream.consumed(payload.length)
    // Only after every byte of the response was read: bytes after it must never count as the next response.
    if (this.#reusable) this.#freed(this)
    this.#reusable = false
  }

  #ended(): void {
    try {
      this.#parser.finish()
      this.#close()
    } catch (error) {
      this.#gone(error as Error)
    }
  }

  #reset(error: Error): void {
    if (isFailure(error, 'stream_reset')) this.#gone(error)
    else this.#lost(error)
  }

  #gone(error: Error): void {
    this.#lost(this.#responded ? error : new NoResponse('the daemon went', { cause: error }))
  }

  #complete(): void {
    const handler = this.#handler
    this.#handler = undefined
    // The rest of an unfinished body would be read as the next request.
    if (this.#sent && this.#parser.persistent) {
      this.resume()
      this.#reusable = true
    } else this.#close()
    handler?.complete()
  }

  #lost(error: Error): void {
    const handler = this.#handler
    this.#handler = undefined
    this.#reusable = false
    this.#close()
    handler?.failed(error)
  }

  #close(): void {
    if (this.#stream.closed) return
    this.#stream.close(this.#parser.idle ? resetCodes.closed : resetCodes.broken)
    this.#over(this)
  }
}

/** A chunk of a chunked body. A small one becomes one buffer, because a browser may send thousands of them at a time. */
function framed(chunk: Buffer): Buffer[] {
  const line = `${chunk.length.toString(16)}\r\n`
  if (chunk.length >= SMALL_CHUNK_BYTES) return [Buffer.from(line, 'latin1'), chunk, CRLF]
  const whole = Buffer.allocUnsafe(line.length + chunk.length + CRLF.length)
  whole.write(line, 'latin1')
  whole.set(chunk, line.length)
  whole.set(CRLF, line.length + chunk.length)
  return [whole]
}

function headOf(method: string, target: string, headers: readonly string[], body: DaemonRequest['body']): Buffer {
  let text = `${method} ${target} HTTP/1.1\r\n`
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1]!
    // The HTTP server refuses such values. If one passed, it could add a header or a request.
    // eslint-disable-next-line no-control-regex
    if (/[\0\r\n]/.test(value)) throw fail('invalid_request', [{ path: headers[i]!, message: 'is not one line' }])
    text += `${headers[i]!}: ${value}\r\n`
  }
  if (body === 'chunked') text += 'transfer-encoding: chunked\r\n'
  else if (body !== 'none') text += `content-length: ${body}\r\n`
  return Buffer.from(`${text}\r\n`, 'latin1')
}
