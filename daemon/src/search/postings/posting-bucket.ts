import { copyBytes } from '../segment/copy-bytes.ts'
import { varintLength, writeVarint } from '../segment/varint.ts'
import { ENTRY_ROOM, EntryReader, POSITION_ROOM, writeStart, writeWord } from './bucket-entries.ts'
import { grown } from './grown.ts'
import { TOKENS, type NoteWords } from './note-words.ts'

/**
 * Numbers of a term: in how many notes it is, its bytes of postings and of positions, its first note, and its last + 1.
 */
export const TERM_NUMBERS = 5
export const NOTES = 0
export const POSTING_BYTES = 1
export const POSITION_BYTES = 2
export const FIRST = 3
export const LAST = 4

/**
 * Postings by term, as typed arrays, so that threads can pass them on. The postings of term n begin at `starts[n]`, and
 * its positions follow. `lengths` has two numbers for each term: its bytes of postings and of positions.
 */
export type SortedPostings = { bytes: Uint8Array; starts: Uint32Array; lengths: Uint32Array }

/** Collects postings in the order of their notes, and sorts them by term. Terms and notes are numbered from 0. */
export class PostingBucket {
  /** `TERM_NUMBERS` for each term, about all that was sorted so far. */
  numbers = new Uint32Array(64 * TERM_NUMBERS)
  #bytes = new Uint8Array(1 << 12)
  #end = 0
  #note = 0
  #terms = 0

  /**
   * Adds a note, which is not before the notes added so far, to a term: the word at an offset of the words of the note.
   * Returns how many bytes of memory that takes. It creates no object, which would cost as much as the rest.
   */
  add(term: number, note: number, words: NoteWords, word: number): number {
    const start = this.#end
    const room = start + ENTRY_ROOM + words.numbers[word + TOKENS]! * POSITION_ROOM
    while (room > this.#bytes.length) this.#bytes = grown(this.#bytes, Uint8Array)
    const bytes = this.#bytes
    this.#end = writeWord(bytes, writeStart(bytes, start, term, note - this.#note), words, word)
    this.#note = note
    if (term >= this.#terms) this.#terms = term + 1
    return this.#end - start
  }

  /**
   * Sorts what was added since the last time. The result is written to `spare`, or to new memory if that is too small,
   * and is valid until something is added. Returns with it the memory that is free now.
   */
  sort(spare: Uint8Array<ArrayBuffer>): { sorted: SortedPostings; spare: Uint8Array<ArrayBuffer> } {
    while (this.numbers.length < this.#terms * TERM_NUMBERS) this.numbers = grown(this.numbers, Uint32Array)
    const unsorted = this.#bytes
    const reader = () => new EntryReader(unsorted, this.#end)
    const behindLast = Uint32Array.from({ length: this.#terms }, (_, term) => this.numbers[term * TERM_NUMBERS + LAST]!)
    const lengths = measure(reader(), this.numbers, this.#terms)
    const starts = new Uint32Array(this.#terms)
    let size = 0
    for (let term = 0; term < this.#terms; term++) {
      starts[term] = size
      size += lengths[term * 2]! + lengths[term * 2 + 1]!
    }
    this.#bytes = spare.length >= size ? spare : new Uint8Array(Math.max(size, unsorted.length))
    const sorted = { bytes: this.#bytes, starts, lengths }
    distribute(reader(), { unsorted, behindLast, sorted })
    this.#end = 0
    this.#note = 0
    return { sorted, spare: unsorted }
  }
}

/** Counts entries into the numbers of their terms; returns the lengths of `SortedPostings`. */
function measure(entries: EntryReader, numbers: Uint32Array, terms: number): Uint32Array {
  const lengths = new Uint32Array(terms * 2)
  while (entries.next()) {
    const { term, note, weightAt, positionsAt, end } = entries
    const record = term * TERM_NUMBERS
    const postings = lengthOf(note - numbers[record + LAST]!) + positionsAt - weightAt
    if (numbers[record + NOTES]!++ === 0) numbers[record + FIRST] = note
    numbers[record + LAST] = note + 1
    numbers[record + POSTING_BYTES]! += postings
    numbers[record + POSITION_BYTES]! += end - positionsAt
    lengths[term * 2]! += postings
    lengths[term * 2 + 1]! += end - positionsAt
  }
  return lengths
}

const lengthOf = (value: number): number => (value < 128 ? 1 : value < 16_384 ? 2 : varintLength(value))

type Distribution = { unsorted: Uint8Array; behindLast: Uint32Array; sorted: SortedPostings }

/**
 * Writes each entry behind those of its term. `behindLast` are the last notes + 1 of the terms before the first entry.
 */
function distribute(entries: EntryReader, { unsorted, behindLast, sorted }: Distribution): void {
  const { bytes, starts, lengths } = sorted
  const postingEnds = starts.slice()
  const positionEnds = starts.map((start, term) => start + lengths[term * 2]!)
  while (entries.next()) {
    const { term, note, weightAt, positionsAt, end } = entries
    let at = writeVarint(bytes, postingEnds[term]!, note - behindLast[term]!)
    behindLast[term] = note + 1
    for (let from = weightAt; from < positionsAt; from++) bytes[at++] = unsorted[from]!
    postingEnds[term] = at
    copyBytes({ bytes: unsorted, start: positionsAt, count: end - positionsAt }, bytes, positionEnds[term]!)
    positionEnds[term]! += end - positionsAt
  }
}
