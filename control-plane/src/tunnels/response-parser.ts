import { trimOptionalSpace } from '../http/optional-space.ts'
import { UnreadBytes } from './unread-bytes.ts'

/** A response that RFC 9112 does not allow, or that two parsers could read differently. */
export class MalformedResponse extends Error {}

/** Receives the parts of one response in order. Header names are in lower case. */
export type ResponseReader = {
  head(status: number, headers: string[]): void
  /** Bytes of the body; views into the input. `last` when no more are known to follow. */
  data(chunk: Buffer, last: boolean): void
  complete(): void
}

const MAX_HEAD_BYTES = 16 * 1024
/** A chunk size with its extensions, which are ignored. */
const MAX_CHUNK_LINE_BYTES = 1024
/** Maximum number of interim responses (1xx) before the final one. */
const MAX_INTERIM = 16
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
/** RFC 9112, 5, without folded lines. */
const HEADERS = /^(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*(?:\r\n|$))*$/
const CLOSE = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i
const LENGTH = /^\d{1,15}$/
const CHUNK_LINE = /^([\da-f]{1,12})(?:;[\w!#$%&'*+.^`|~-]+(?:=[\w!#$%&'*+.^`|~-]+)?)*$/i
/** Headers allowed only in the final head; elsewhere parsers disagree about them. */
const CONNECTION_HEADERS = new Set(['content-length', 'transfer-encoding', 'connection', 'upgrade'])
const HEAD_END = '\r\n\r\n'
const LINE_END = '\r\n'

type State = 'idle' | 'head' | 'fixed' | 'until_close' | 'chunk_size' | 'chunk' | 'chunk_end' | 'trailers'

/**
 * Parses HTTP/1.1 responses of a daemon, which may be malicious. Stricter than RFC 9112 requires of a client: no folded
 * lines, no bare line feeds, no length together with chunks, no repeated length, no coding except `chunked`. So there
 * is only one interpretation.
 */
export class ResponseParser {
  #state: State = 'idle'
  readonly #unread = new UnreadBytes()
  #left = 0
  #interim = 0
  #trailerBytes = 0
  #bodiless = false
  #persistent = false
  #idleSeconds: number | undefined
  #reader: ResponseReader | undefined

  /** True while no response is expected. Bytes that arrive then belong to no request. */
  get idle(): boolean {
    return this.#state === 'idle'
  }

  /** True when the daemon allows another request after this response. */
  get persistent(): boolean {
    return this.#persistent
  }

  /** Seconds after which the daemon closes an idle connection, if it said so. */
  get idleSeconds(): number | undefined {
    return this.#idleSeconds
  }

  /** Expects the response to a request of that method. */
  expect(method: string, reader: ResponseReader): void {
    this.#reader = reader
    this.#bodiless = method === 'HEAD'
    this.#state = 'head'
    this.#interim = 0
    this.#persistent = false
  }

  /** Parses more bytes. After a thrown `MalformedResponse` the connection cannot be used. */
  feed(chunk: Buffer): void {
    const bytes = this.#unread.take(chunk)
    let offset = 0
    while (offset < bytes.length) {
      const next = this.#step(bytes, offset)
      if (next === undefined) return this.#unread.keep(bytes, offset)
      offset = next
    }
  }

  /** The daemon sends no more. That ends a response without a length; within any other it is malformed. */
  finish(): void {
    if (this.#state === 'until_close') this.#complete()
    else if (this.#state !== 'idle') throw new MalformedResponse('cut short')
  }

  /** The position to continue at, or undefined when more bytes are needed first. */
  #step(bytes: Buffer, offset: number): number | undefined {
    if (this.#state === 'fixed' || this.#state === 'chunk') return this.#body(bytes, offset)
    if (this.#state === 'head') return this.#head(bytes, offset)
    if (this.#state === 'until_close') {
      this.#reader!.data(bytes.subarray(offset), false)
      return bytes.length
    }
    if (this.#state === 'idle') throw new MalformedResponse('bytes after the answer')
    return this.#chunkLine(bytes, offset)
  }

  #body(bytes: Buffer, offset: number): number {
    const end = Math.min(bytes.length, offset + this.#left)
    this.#left -= end - offset
    const last = this.#left === 0 && this.#state === 'fixed'
    this.#reader!.data(bytes.subarray(offset, end), last)
    if (last) this.#complete()
    else if (this.#left === 0) this.#state = 'chunk_end'
    return end
  }

  #head(bytes: Buffer, offset: number): number | undefined {
    const end = this.#unread.find(HEAD_END, { bytes, offset, limit: MAX_HEAD_BYTES })
    if (end === 'too_far') throw new MalformedResponse('head is too long')
    if (end === undefined) return undefined

    const text = bytes.toString('latin1', offset, end)
    const statusEnd = text.indexOf('\r\n')
    const [, minor, digits] = STATUS_LINE.exec(statusEnd < 0 ? text : text.slice(0, statusEnd)) ?? []
    if (digits === undefined) throw new MalformedResponse('status line')
    const status = Number(digits)
    const headers = statusEnd < 0 ? [] : readHeaders(text, statusEnd + 2)
    if (status < 200) {
      this.#interim += 1
      // No protocol switch was requested, so 101 is malformed.
      if (status === 101 || speaksOfConnection(headers) || this.#interim > MAX_INTERIM)
        throw new MalformedResponse('interim answer')
      return end + 4
    }
    this.#frame(status, minor === '1', headers)
    return end + 4
  }

  /** RFC 9112, 6.3: the length of the body. */
  #frame(status: number, isCurrent: boolean, headers: string[]): void {
    let length: string | undefined
    let coding: string | undefined
    let persistent = isCurrent
    this.#idleSeconds = undefined
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i]!
      const value = headers[i + 1]!
      if (name === 'content-length') {
        if (length !== undefined || !LENGTH.test(value)) throw new MalformedResponse('content-length')
        length = value
      } else if (name === 'transfer-encoding') {
        if (coding !== undefined || !isCurrent || value.toLowerCase() !== 'chunked')
          throw new MalformedResponse('transfer-encoding')
        coding = value
      } else if (name === 'connection') persistent &&= value === 'keep-alive' || !CLOSE.test(value)
      else if (name === 'keep-alive') this.#idleSeconds = readTimeout(value)
    }
    if (length !== undefined && coding !== undefined) throw new MalformedResponse('length beside chunks')

    this.#persistent = persistent
    const reader = this.#reader!
    reader.head(status, headers)
    if (this.#bodiless || status === 204 || status === 304) this.#complete()
    else if (coding !== undefined) this.#state = 'chunk_size'
    else if (length === undefined) {
      this.#persistent = false
      this.#state = 'until_close'
    } else {
      this.#left = Number(length)
      this.#state = 'fixed'
      if (this.#left === 0) this.#complete()
    }
  }

  /** RFC 9112, 7.1. */
  #chunkLine(bytes: Buffer, offset: number): number | undefined {
    const limit = this.#state === 'trailers' ? MAX_HEAD_BYTES : MAX_CHUNK_LINE_BYTES
    const end = this.#unread.find(LINE_END, { bytes, offset, limit })
    if (end === 'too_far') throw new MalformedResponse('line is too long')
    if (end === undefined) return undefined

    const line = bytes.toString('latin1', offset, end)
    if (this.#state === 'chunk_end') {
      if (line !== '') throw new MalformedResponse('chunk is longer than its size')
      this.#state = 'chunk_size'
    } else if (this.#state === 'chunk_size') {
      const [, digits] = CHUNK_LINE.exec(line) ?? []
      if (digits === undefined) throw new MalformedResponse('chunk size')
      this.#left = Number.parseInt(digits, 16)
      this.#trailerBytes = 0
      this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    } else if (line === '') this.#complete()
    else {
      this.#trailerBytes += line.length
      if (this.#trailerBytes > MAX_HEAD_BYTES) throw new MalformedResponse('trailers are too long')
      // Trailers are dropped, but must be well-formed.
      if (speaksOfConnection(readHeaders(line, 0))) throw new MalformedResponse('trailer')
    }
    return end + 2
  }

  #complete(): void {
    this.#state = 'idle'
    const reader = this.#reader!
    this.#reader = undefined
    reader.complete()
  }
}

/** Name, value, name, value, … of the lines from `start` to the end of the text. */
function readHeaders(text: string, start: number): string[] {
  const headers: string[] = []
  if (!HEADERS.test(start === 0 ? text : text.slice(start))) throw new MalformedResponse('header')
  const hasTabs = text.includes('\t')
  for (let from = start; from <= text.length;) {
    const found = text.indexOf('\r\n', from)
    const end = found < 0 ? text.length : found
    const colon = text.indexOf(':', from)
    const name = text.slice(from, colon).toLowerCase()
    const value = text.slice(colon + 1, end)
    // Parsers disagree about a tab there: for Node, `chunked` followed by a tab is no coding.
    if (hasTabs && value.includes('\t') && (name === 'content-length' || name === 'transfer-encoding'))
      throw new MalformedResponse('tab in a framing header')
    headers.push(name, trimOptionalSpace(value))
    from = end + 2
  }
  return headers
}

/** True when a header frames the body or controls the connection. */
function speaksOfConnection(headers: readonly string[]): boolean {
  return headers.some((name, at) => at % 2 === 0 && CONNECTION_HEADERS.has(name))
}

function readTimeout(value: string): number | undefined {
  const [, seconds] = /(?:^|[,; ])timeout=(\d{1,6})(?:$|[,; ])/i.exec(value) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}
