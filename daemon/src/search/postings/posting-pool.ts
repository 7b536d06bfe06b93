import { NUMBERS, STREAM, type TermRecords } from './term-records.ts'

const PAGE_BITS = 20
const PAGE = 1 << PAGE_BITS
const FIRST_SLICE = 16
const LARGEST_SLICE = 1024
const LINK = 4

// Numbers of a stream in the record of its term: the address of its first slice + 1 (0: none), of its next byte and of the
// end of its slice; the length of that slice and of all.
const FIRST = STREAM
const NEXT = STREAM + 1
const END = STREAM + 2
const SLICE = STREAM + 3
const LENGTH = STREAM + 4

/** What a pool holds, as typed arrays, so that threads can pass it on: the numbers of its streams, and its pages. */
export type PooledStreams = { numbers: Uint32Array; pages: readonly Uint8Array[] }

/**
 * Byte streams that grow side by side, one per term, in pages of a megabyte. A stream is a chain of slices, each twice
 * as long as the one before and followed by the address of the next.
 */
export class PostingPool {
  /** Written so that V8 does not leave out reads whose result nobody uses. */
  touched = 0
  readonly #records: TermRecords
  // Those of an earlier content are used again: new ones are filled with zeros.
  readonly #pages: Uint8Array[] = []
  #used = 0
  #free = PAGE

  constructor(records: TermRecords) {
    this.#records = records
  }

  /** Bytes of memory that the streams take. */
  get bytes(): number {
    return this.#used * PAGE
  }

  /**
   * Reads what `append` is about to need of streams. The processor waits for many of these reads at once, but for one after
   * the other between appends.
   */
  touch(streams: Uint32Array, count: number): void {
    const { numbers } = this.#records
    let read = 0
    for (let index = 0; index < count; index++) read ^= numbers[streams[index]! * NUMBERS + NEXT] ?? 0
    for (let index = 0; index < count; index++) {
      const at = numbers[streams[index]! * NUMBERS + NEXT] ?? 0
      read ^= this.#pages[at >>> PAGE_BITS]?.[at & (PAGE - 1)] ?? 0
    }
    this.touched = read
  }

  append(stream: number, bytes: Uint8Array, count: number): void {
    const record = this.#records.startOf(stream)
    const streams = this.#records.numbers
    if (streams[record + FIRST] === 0) {
      const at = this.#allocate(FIRST_SLICE)
      streams[record + FIRST] = at + 1
      this.#use(record, at, FIRST_SLICE)
    }
    streams[record + LENGTH]! += count
    for (let done = 0; done < count;) {
      if (streams[record + NEXT] === streams[record + END]) this.#extend(record)
      const at = streams[record + NEXT]!
      const part = Math.min(count - done, streams[record + END]! - at)
      const page = this.#pages[at >>> PAGE_BITS]!
      const offset = at & (PAGE - 1)
      for (let index = 0; index < part; index++) page[offset + index] = bytes[done + index]!
      streams[record + NEXT] = at + part
      done += part
    }
  }

  /** The streams as they are now; valid until something is appended. */
  streams(): PooledStreams {
    return { numbers: this.#records.numbers, pages: this.#pages.slice(0, this.#used) }
  }

  clear(): void {
    this.#used = 0
    this.#free = PAGE
    const { numbers } = this.#records
    for (let record = 0; record < numbers.length; record += NUMBERS)
      numbers.fill(0, record + FIRST, record + LENGTH + 1)
  }

  #extend(record: number): void {
    const end = this.#records.numbers[record + END]!
    const length = Math.min(this.#records.numbers[record + SLICE]! * 2, LARGEST_SLICE)
    const at = this.#allocate(length)
    const page = this.#pages[end >>> PAGE_BITS]!
    const offset = end & (PAGE - 1)
    page[offset] = at & 255
    page[offset + 1] = (at >>> 8) & 255
    page[offset + 2] = (at >>> 16) & 255
    page[offset + 3] = at >>> 24
    this.#use(record, at, length)
  }

  #use(record: number, at: number, length: number): void {
    this.#records.numbers[record + NEXT] = at
    this.#records.numbers[record + END] = at + length
    this.#records.numbers[record + SLICE] = length
  }

  #allocate(length: number): number {
    if (this.#free + length + LINK > PAGE) {
      this.#pages[this.#used++] ??= new Uint8Array(PAGE)
      this.#free = 0
    }
    const at = ((this.#used - 1) << PAGE_BITS) + this.#free
    this.#free += length + LINK
    return at
  }
}

/** The length of a stream of a pool. */
export const pooledLength = ({ numbers }: PooledStreams, stream: number): number =>
  numbers[stream * NUMBERS + LENGTH] ?? 0

/** Copies a stream of a pool to an offset of a buffer that has room for it. */
export function copyPooled(streams: PooledStreams, stream: number, into: Uint8Array, offset: number): void {
  const { numbers, pages } = streams
  let left = pooledLength(streams, stream)
  let at = left > 0 ? numbers[stream * NUMBERS + FIRST]! - 1 : 0
  let slice = FIRST_SLICE
  let to = offset
  while (left > 0) {
    const page = pages[at >>> PAGE_BITS]!
    const start = at & (PAGE - 1)
    const part = Math.min(left, slice)
    for (let index = 0; index < part; index++) into[to + index] = page[start + index]!
    to += part
    left -= part
    if (left > 0) at = readLink(page, start + slice)
    slice = Math.min(slice * 2, LARGEST_SLICE)
  }
}

const readLink = (page: Uint8Array, offset: number): number =>
  (page[offset]! | (page[offset + 1]! << 8) | (page[offset + 2]! << 16) | (page[offset + 3]! << 24)) >>> 0
