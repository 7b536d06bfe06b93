import { SpanWriter } from '../spans/span-writer.ts'
import type { BlockWriter, SectionWriter } from './block-writer.ts'
import { NONE, type MergedTerms } from './merged-terms.ts'
import { spansOf } from './segment-format.ts'
import type { FinishedPart } from './segment-part.ts'
import { separate } from './separate-streams.ts'
import type { TermStreams } from './term-streams.ts'

type Postings = {
  parts: readonly FinishedPart[]
  terms: MergedTerms
  /** The streams of each part, one behind the other. */
  streams: readonly (readonly TermStreams[])[]
  lengths: { postings: number; positions: number; spans: number }
}

const FIRST_ROOM = 1 << 16
// The first number of a part may get longer.
const ROOM_OF_A_PART = 8

/** Writes the postings, positions and spans of a segment, term by term. */
export class PostingsWriter {
  readonly #terms: MergedTerms
  readonly #streams: Postings['streams']
  readonly #postings: SectionWriter
  readonly #positions: SectionWriter
  readonly #spans: SpanWriter
  #mixed = new Uint8Array(FIRST_ROOM)
  #split = { postings: new Uint8Array(FIRST_ROOM), positions: new Uint8Array(FIRST_ROOM) }

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
    const length = postings + positions
    this.#reserve(length + this.#streams.length * ROOM_OF_A_PART)
    this.#collect(term)
    const split = this.#split
    separate(this.#mixed, length, split)
    this.#postings.write(split.postings, postings)
    this.#positions.write(split.positions, positions)
    if (spansOf(notes) > 0) this.#spans.add(split.postings, notes)
  }

  end(): void {
    this.#postings.end()
    this.#positions.end()
    this.#spans.end()
  }

  /** Puts the streams of a term one behind the other. */
  #collect(term: number): void {
    const bytes = this.#mixed
    let start = 0
    for (let part = 0; part < this.#streams.length; part++) {
      const index = this.#terms.indexIn(term, part)
      if (index === NONE) continue
      let end = start
      for (const stream of this.#streams[part]!) {
        stream.copy(index, bytes, end)
        end += stream.lengthOf(index)
      }
      start = this.#terms.join(term, part, { bytes, start, end })
    }
  }

  #reserve(length: number): void {
    if (length <= this.#mixed.length) return
    this.#mixed = new Uint8Array(length * 2)
    this.#split = { postings: new Uint8Array(length * 2), positions: new Uint8Array(length * 2) }
  }
}
