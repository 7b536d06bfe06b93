import { filterTermsOf } from '../words/filter-terms.ts'
import { fieldsOf, GAP, type NoteContent } from '../words/note-tokens.ts'
import { MAX_TERMS } from './bucket-entries.ts'
import { grown } from './grown.ts'
import { NotePairs } from './note-pairs.ts'
import { NoteWords, WORD_NUMBERS } from './note-words.ts'
import { PostingBucket, TERM_NUMBERS, type SortedPostings } from './posting-bucket.ts'
import { TermTable } from './term-table.ts'

const BUCKET_BITS = 7
const BUCKETS = 1 << BUCKET_BITS

/** Postings of all buckets, with the terms in the order of their bytes. */
export type OrderedPostings = { order: Uint32Array; buckets: readonly SortedPostings[] }

/** Where the postings of a term are: its bucket, and its number there. */
export const bucketOf = (term: number): number => term & (BUCKETS - 1)
export const numberInBucket = (term: number): number => term >>> BUCKET_BITS

/**
 * Collects the postings of notes, per term: the distance to the note before, the weight, and the positions with their
 * length in bytes in front. Note numbers only grow.
 *
 * The processor would wait for memory at each posting if it were appended to those of its term: there are hundreds of
 * thousands of terms. So postings are appended to few buckets, and each of them, which fits the processor's cache, is
 * sorted by term when memory is full. Terms are divided by the last bits of their numbers, because the first terms are
 * the most frequent ones.
 */
export class NotePostings {
  readonly terms = new TermTable()
  readonly pairs = new NotePairs()
  /** How many bytes the postings take that were not sorted yet. */
  bytes = 0
  readonly #buckets = Array.from({ length: BUCKETS }, () => new PostingBucket())
  readonly #words = new NoteWords()
  #ids = new Uint32Array(1 << 10)

  /** Adds a note under a number larger than all before; returns how many tokens it has. */
  add(number: number, note: NoteContent): number {
    const words = this.#words
    words.clear()
    for (const term of filterTermsOf(note.tags, note.properties)) words.addTerm(term)
    let tokens = 0
    let position = 0
    for (const [source, weight] of fieldsOf(note)) {
      const end = words.addField(source, { position, weight })
      tokens += end - position
      position = end + GAP
    }
    words.sortPlaces()
    this.pairs.add(number, words)
    while (this.#ids.length < words.count) this.#ids = grown(this.#ids, Uint32Array)
    this.terms.idsOf(words, this.#ids)
    if (this.terms.count > MAX_TERMS * BUCKETS) throw new Error('the vault has too many different words')
    for (let index = 0; index < words.count; index++) {
      const term = this.#ids[index]!
      const bucket = this.#buckets[bucketOf(term)]!
      this.bytes += bucket.add(numberInBucket(term), number, words, index * WORD_NUMBERS)
    }
    return tokens
  }

  /** Sorts the postings that were added since the last time by term. They are valid until the next note is added. */
  sort(): OrderedPostings {
    let spare = new Uint8Array(0)
    const buckets = this.#buckets.map((bucket) => {
      const { sorted, spare: free } = bucket.sort(spare)
      spare = free
      return sorted
    })
    this.bytes = 0
    return { order: this.terms.sorted(), buckets }
  }

  /** Writes `TERM_NUMBERS` numbers of a term, about all that was sorted, to an offset. */
  copyNumbers(term: number, into: Uint32Array, at: number): void {
    const { numbers } = this.#buckets[bucketOf(term)]!
    const from = numberInBucket(term) * TERM_NUMBERS
    for (let index = 0; index < TERM_NUMBERS; index++) into[at + index] = numbers[from + index]!
  }
}
