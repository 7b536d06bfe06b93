import { grown } from './term-table.ts'

const PAGE = 1 << 20
const FIRST_SLICE = 16
const LARGEST_SLICE = 1024
const LINK = 4

/**
 * Byte streams that grow side by side, one per term, in pages of a megabyte. A stream is a chain of slices, each twice
 * as long as the one before and followed by the address of the next.
 */
export class PostingPool {
  readonly #pages: Uint8Array[] = []
  #free = PAGE
  // Per stream: address of its first slice + 1 (0: none), of the next byte, of the end of the slice; its slice's length.
  #first = new Uint32Array(1 << 15)
  #next = new Uint32Array(1 << 15)
  #end = new Uint32Array(1 << 15)
  #slice = new Uint32Array(1 << 15)
  #length = new Uint32Array(1 << 15)

  /** Bytes of memory that the streams take. */
  get bytes(): number {
    return this.#pages.length * PAGE
  }

  append(stream: number, bytes: Uint8Array, count: number): void {
    while (stream >= this.#first.length) this.#grow()
    if (this.#first[stream] === 0) this.#begin(stream)
    this.#length[stream]! += count
    for (let done = 0; done < count;) {
      if (this.#next[stream] === this.#end[stream]) this.#extend(stream)
      const at = this.#next[stream]!
      const part = Math.min(count - done, this.#end[stream]! - at)
      const page = this.#pages[Math.floor(at / PAGE)]!
      const offset = at % PAGE
      for (let index = 0; index < part; index++) page[offset + index] = bytes[done + index]!
      this.#next[stream] = at + part
      done += part
    }
  }

  lengthOf(stream: number): number {
    return this.#length[stream] ?? 0
  }

  /** Copies a stream to an offset of a buffer that has room for it. */
  copy(stream: number, into: Uint8Array, offset: number): void {
    let left = this.lengthOf(stream)
    let at = left > 0 ? this.#first[stream]! - 1 : 0
    let slice = FIRST_SLICE
    let to = offset
    while (left > 0) {
      const page = this.#pages[Math.floor(at / PAGE)]!
      const start = at % PAGE
      const part = Math.min(left, slice)
      into.set(page.subarray(start, start + part), to)
      to += part
      left -= part
      if (left > 0) at = readLink(page, start + slice)
      slice = Math.min(slice * 2, LARGEST_SLICE)
    }
  }

  clear(): void {
    this.#pages.length = 0
    this.#free = PAGE
    for (const numbers of [this.#first, this.#next, this.#end, this.#slice, this.#length]) numbers.fill(0)
  }

  #begin(stream: number): void {
    const at = this.#allocate(FIRST_SLICE)
    this.#first[stream] = at + 1
    this.#use(stream, at, FIRST_SLICE)
  }

  #extend(stream: number): void {
    const end = this.#end[stream]!
    const length = Math.min(this.#slice[stream]! * 2, LARGEST_SLICE)
    const at = this.#allocate(length)
    const page = this.#pages[Math.floor(end / PAGE)]!
    const offset = end % PAGE
    page[offset] = at & 255
    page[offset + 1] = (at >>> 8) & 255
    page[offset + 2] = (at >>> 16) & 255
    page[offset + 3] = at >>> 24
    this.#use(stream, at, length)
  }

  #use(stream: number, at: number, length: number): void {
    this.#next[stream] = at
    this.#end[stream] = at + length
    this.#slice[stream] = length
  }

  #allocate(length: number): number {
    if (this.#free + length + LINK > PAGE) {
      this.#pages.push(new Uint8Array(PAGE))
      this.#free = 0
    }
    const at = (this.#pages.length - 1) * PAGE + this.#free
    this.#free += length + LINK
    return at
  }

  #grow(): void {
    this.#first = grown(this.#first, Uint32Array)
    this.#next = grown(this.#next, Uint32Array)
    this.#end = grown(this.#end, Uint32Array)
    this.#slice = grown(this.#slice, Uint32Array)
    this.#length = grown(this.#length, Uint32Array)
  }
}

const readLink = (page: Uint8Array, offset: number): number =>
  (page[offset]! | (page[offset + 1]! << 8) | (page[offset + 2]! << 16) | (page[offset + 3]! << 24)) >>> 0
