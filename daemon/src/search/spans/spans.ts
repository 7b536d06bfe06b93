import { decodePostings } from './decode-postings.ts'
import { SPAN } from '../segment/segment-format.ts'

/** The postings of a term in spans; each span can be decoded alone. */
export class Spans {
  readonly count: number
  /** The notes and weights of the span that was decoded last. */
  readonly numbers = new Uint32Array(SPAN.postings)
  readonly weights = new Float32Array(SPAN.postings)

  readonly #postings: Uint8Array
  readonly #notes: number
  readonly #integers: Uint32Array
  readonly #floats: Float32Array

  /** `described`: the span descriptions of the segment; they begin at a multiple of four bytes in their buffer. */
  constructor({ postings, described, notes }: { postings: Uint8Array; described: Uint8Array; notes: number }) {
    const { buffer, byteOffset, length } = described
    this.#postings = postings
    this.#notes = notes
    this.#integers = new Uint32Array(buffer, byteOffset, length / 4)
    this.#floats = new Float32Array(buffer, byteOffset, length / 4)
    this.count = length / SPAN.bytes
  }

  /** The number of the last note in the span. */
  last(span: number): number {
    return this.#integers[(span * SPAN.bytes + SPAN.last) / 4]!
  }

  /** The best score in the span, for the average length of the notes in the segment. */
  best(span: number): number {
    return this.#floats[(span * SPAN.bytes + SPAN.best) / 4]!
  }

  /** All spans, the one with the best score first. */
  bestFirst(): Uint32Array {
    const order = Uint32Array.from({ length: this.count }, (_, span) => span)
    return order.sort((a, b) => this.best(b) - this.best(a))
  }

  /** Decodes a span; returns how many postings it has. */
  decode(span: number): number {
    const at = span === 0 ? 0 : this.#integers[((span - 1) * SPAN.bytes + SPAN.end) / 4]!
    const before = span === 0 ? -1 : this.last(span - 1)
    const count = Math.min(SPAN.postings, this.#notes - span * SPAN.postings)
    decodePostings(this.#postings, { at, before, count }, { numbers: this.numbers, weights: this.weights, from: 0 })
    return count
  }
}
