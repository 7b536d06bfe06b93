import { SpanWriter } from '../spans/span-writer.ts'
import type { BlockWriter, SectionWriter } from './block-writer.ts'
import { NONE, type MergedTerms } from './merged-terms.ts'
import { spansOf } from './segment-format.ts'
import type { FinishedPart } from './segment-part.ts'
import { TermBytes, type PostingStream } from './posting-runs.ts'

type Postings = {
  parts: readonly FinishedPart[]
  terms: MergedTerms
  /** The streams of each part, one behind the other. */
  streams: readonly (readonly PostingStream[])[]
  lengths: { postings: number; positions: number; spans: number }
}

// The first number of a part may get longer.
const ROOM_OF_A_PART = 8

/** Writes the postings, positions and spans of a segment, term by term. */
export class PostingsWriter {
  readonly #terms: MergedTerms
  readonly #streams: Postings['streams']
  readonly #postings: SectionWriter
  readonly #positions: SectionWriter
  readonly #spans: SpanWriter
  readonly #bytes = new TermBytes()

  constructor(writer: BlockWriter, { parts, terms, streams, lengths }: Postings) {
    this.#terms = terms
    this.#streams = streams
    this.#postings = writer.section('postings', lengths.postings)
    this.#positions = writer.section('positions', lengths.positions)
    this.#spans = new SpanWriter(writer.section('spans', lengths.spans), parts)
  }

  /** Writes a term; they come in their order. */
  add(term: number): void {
    const { notes, postings, positions } = this.#terms.sizesOf(term)
    const bytes = this.#bytes
    bytes.reserve(postings + positions + this.#streams.length * ROOM_OF_A_PART)
    this.#collect(term)
    this.#postings.write(bytes.postings, postings)
    this.#positions.write(bytes.positions, positions)
    if (spansOf(notes) > 0) this.#spans.add(bytes.postings, notes)
  }

  end(): void {
    this.#postings.end()
    this.#positions.end()
    this.#spans.end()
  }

  /** Puts the postings of all parts one behind the other. */
  #collect(term: number): void {
    const bytes = this.#bytes
    for (let part = 0; part < this.#streams.length; part++) {
      const index = this.#terms.indexIn(term, part)
      if (index === NONE) continue
      const start = bytes.postingsEnd
      for (const stream of this.#streams[part]!) stream.appendTo(bytes, index)
      const joined = { bytes: bytes.postings, start, end: bytes.postingsEnd }
      bytes.postingsEnd = this.#terms.join(term, part, joined)
    }
  }
}
