import { grown } from '../postings/grown.ts'
import { writeVarint } from './varint.ts'

/** Bytes that grow at the end. Numbers are little-endian. */
export class ByteList {
  length = 0
  #bytes = new Uint8Array(1 << 12)

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  text(text: string): void {
    this.append(Buffer.from(text))
  }

  zeros(count: number): void {
    this.#reserve(count)
    this.#bytes.fill(0, this.length, this.length + count)
    this.length += count
  }

  varint(value: number): void {
    this.#reserve(8)
    this.length = writeVarint(this.#bytes, this.length, value)
  }

  uint32(value: number): void {
    this.zeros(4)
    this.view(this.length - 4, 4).setUint32(0, value, true)
  }

  float64(value: number): void {
    this.zeros(8)
    this.view(this.length - 8, 8).setFloat64(0, value, true)
  }

  /** Writes hexadecimal text as bytes, over the present content. */
  setHex(offset: number, hex: string): void {
    this.#bytes.set(Buffer.from(hex, 'hex'), offset)
  }

  /** A view for reading and writing; valid until something is appended. */
  view(offset: number, length: number): DataView {
    return new DataView(this.#bytes.buffer, offset, length)
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  #reserve(count: number): void {
    while (this.length + count > this.#bytes.length) this.#bytes = grown(this.#bytes, Uint8Array)
  }
}
