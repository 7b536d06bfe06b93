import { filterTermsOf } from '../words/filter-terms.ts'
import { fieldsOf, GAP, type NoteContent } from '../words/note-tokens.ts'
import { grown } from './grown.ts'
import { NoteWords, PLACES_END, TOKENS, WEIGHT, WORD_NUMBERS } from './note-words.ts'
import { PostingPool } from './posting-pool.ts'
import { TermRecords } from './term-records.ts'
import { TermTable } from './term-table.ts'
import { writeVarint } from '../segment/varint.ts'

// The maximum size of a posting without its positions: three numbers.
const POSTING_ROOM = 32

// Numbers of a term: in how many notes it is, the number of the last of them + 1, its bytes of postings and of positions,
// and the first of its notes.
const NOTES = 0
const LAST = 1
const POSTING_BYTES = 2
const POSITION_BYTES = 3
const FIRST = 4

/**
 * Collects the postings of notes, per term: the distance to the note before, the weight, and the positions with their
 * length in bytes in front. Note numbers only grow.
 */
export class NotePostings {
  readonly terms = new TermTable()
  readonly #records = new TermRecords()
  readonly pool = new PostingPool(this.#records)
  readonly #words = new NoteWords()
  #ids = new Uint32Array(1 << 10)
  #encoded = new Uint8Array(1 << 12)

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
    while (this.#ids.length < words.count) this.#ids = grown(this.#ids, Uint32Array)
    this.terms.idsOf(words, this.#ids)
    this.pool.touch(this.#ids, words.count)
    for (let index = 0; index < words.count; index++) this.#write(index, number)
    return tokens
  }

  /** Writes five numbers of a term to an offset, over all spills: its notes, bytes of postings and positions, first and last note. */
  copySizes(term: number, into: Uint32Array, at: number): void {
    const record = this.#records.startOf(term)
    const { numbers } = this.#records
    into[at] = numbers[record + NOTES]!
    into[at + 1] = numbers[record + POSTING_BYTES]!
    into[at + 2] = numbers[record + POSITION_BYTES]!
    into[at + 3] = numbers[record + FIRST]!
    into[at + 4] = numbers[record + LAST]! - 1
  }

  #write(index: number, number: number): void {
    const word = index * WORD_NUMBERS
    const words = this.#words.numbers
    const term = this.#ids[index]!
    const record = this.#records.startOf(term)
    const records = this.#records.numbers
    const postings = writeVarint(this.#encoded, 0, number - records[record + LAST]!)
    const from = writeVarint(this.#encoded, postings, words[word + WEIGHT]!)
    const end = this.#encodePositions(word, from)
    this.pool.append(term, this.#encoded, end)
    records[record + POSTING_BYTES]! += from
    records[record + POSITION_BYTES]! += end - from
    if (records[record + NOTES]!++ === 0) records[record + FIRST] = number
    records[record + LAST] = number + 1
  }

  /** Writes length and distances behind an offset and returns the end. The length is known only after the distances. */
  #encodePositions(word: number, from: number): number {
    const { numbers, places } = this.#words
    const end = numbers[word + PLACES_END]!
    let at = from + 1
    let next = 0
    for (let index = end - numbers[word + TOKENS]!; index < end; index++) {
      if (at + POSTING_ROOM > this.#encoded.length) this.#encoded = grown(this.#encoded, Uint8Array)
      const place = places[index]!
      at = writeVarint(this.#encoded, at, place - next)
      next = place + 1
    }
    const length = at - from - 1
    if (length < 128) {
      this.#encoded[from] = length
      return at
    }
    const lengthBytes = new Uint8Array(8)
    const extra = writeVarint(lengthBytes, 0, length)
    this.#encoded.copyWithin(from + extra, from + 1, at)
    this.#encoded.set(lengthBytes.subarray(0, extra), from)
    return at + extra - 1
  }
}
