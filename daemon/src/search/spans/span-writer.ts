import { termScore, type Corpus } from '../ranking.ts'
import type { SectionWriter } from '../segment/block-writer.ts'
import { decodePostings } from './decode-postings.ts'
import { SPAN } from '../segment/segment-format.ts'
import type { FinishedPart } from '../segment/segment-part.ts'

/** Divides long lists of postings into spans, so that a search for the best notes decodes only a few of them. */
export class SpanWriter {
  readonly #section: SectionWriter
  readonly #corpus: Corpus
  readonly #lengths: Uint32Array
  readonly #numbers = new Uint32Array(SPAN.postings)
  readonly #weights = new Float32Array(SPAN.postings)
  readonly #span = new DataView(new ArrayBuffer(SPAN.bytes))

  constructor(section: SectionWriter, parts: readonly FinishedPart[]) {
    this.#section = section
    const sum = (of: (part: FinishedPart) => number) => parts.reduce((total, part) => total + of(part), 0)
    const [files, notes, tokens] = [sum((part) => part.files), sum((part) => part.notes), sum((part) => part.tokens)]
    this.#corpus = { notes, averageLength: tokens / Math.max(1, notes) }
    this.#lengths = new Uint32Array(files)
    let first = 0
    for (const { files: count, sections } of parts) {
      const lengths = sections.lengths.slice(0, count * 4)
      this.#lengths.set(new Uint32Array(lengths.buffer, 0, count), first)
      first += count
    }
  }

  /** Adds the spans of one term. */
  add(postings: Uint8Array, notes: number): void {
    const [numbers, weights, span] = [this.#numbers, this.#weights, this.#span]
    let before = -1
    let at = 0
    for (let left = notes; left > 0; left -= SPAN.postings) {
      const count = Math.min(left, SPAN.postings)
      at = decodePostings(postings, { at, before, count }, { numbers, weights, from: 0 })
      let best = 0
      for (let index = 0; index < count; index++)
        best = Math.max(best, termScore(this.#corpus, weights[index]!, this.#lengths[numbers[index]!]!))
      before = numbers[count - 1]!
      span.setUint32(SPAN.last, before, true)
      span.setUint32(SPAN.end, at, true)
      span.setFloat32(SPAN.best, best, true)
      this.#section.write(new Uint8Array(span.buffer))
    }
  }

  end(): void {
    this.#section.end()
  }
}
