import { PostingPool } from './posting-pool.ts'
import { TermRecords } from './term-records.ts'
import { filterTermsOf } from '../words/filter-terms.ts'
import { fieldsOf, GAP, type NoteContent } from '../words/note-tokens.ts'
import { asciiTerm, scanTokens, type TokenSink } from '../words/tokens.ts'
import { grown, NO_WORD, NOT_ASCII, TermTable } from './term-table.ts'
import { writeVarint } from './varint.ts'

// The maximum size of a posting without its positions: three numbers.
const POSTING_ROOM = 32

// Numbers of a term: in how many notes it is, the number of the last of them + 1, its bytes of postings and of positions;
// while a note is read, its first and last token there + 1 (0: not in the note) and its weight; the first of its notes.
const NOTES = 0
const LAST = 1
const POSTING_BYTES = 2
const POSITION_BYTES = 3
const HEAD = 4
const TAIL = 5
const WEIGHT = 6
const FIRST = 7

/**
 * Collects the postings of notes, per term: the distance to the note before, the weight, and the positions with their
 * length in bytes in front. Note numbers only grow.
 */
export class NotePostings {
  readonly terms = new TermTable()
  readonly #records = new TermRecords()
  readonly pool = new PostingPool(this.#records)

  // The tokens of one note: a list per term, in the order of their places.
  #places = new Uint32Array(1 << 12)
  #following = new Int32Array(1 << 12)
  #count = 0
  #distinct = new Uint32Array(1 << 10)
  #distinctCount = 0
  #encoded = new Uint8Array(1 << 12)

  // The code units of the field that is read, and where it is read.
  #units = Buffer.allocUnsafeSlow(1 << 16)
  #position = 0
  #weight = 0

  readonly #tokens: TokenSink = {
    // Only words that are not pure ASCII come here.
    ascii: (text, start, end) => this.#place(this.terms.term(asciiTerm(text, start, end))),
    folded: (term) => this.#place(this.terms.term(term)),
    closing: (term) => this.#place(this.terms.term(term)),
  }

  /** Adds a note under a number larger than all before; returns how many tokens it has. */
  add(number: number, note: NoteContent): number {
    for (const term of filterTermsOf(note.tags, note.properties)) this.#touch(this.terms.term(term), 1)
    let tokens = 0
    this.#position = 0
    for (const [source, weight] of fieldsOf(note)) {
      const first = this.#position
      this.#weight = weight
      this.#scan(source)
      tokens += this.#position - first
      this.#position += GAP
    }
    for (let index = 0; index < this.#distinctCount; index++) this.#write(this.#distinct[index]!, number)
    this.#count = 0
    this.#distinctCount = 0
    return tokens
  }

  /** Reads the tokens of a field: ASCII words directly from its code units, everything else by the general scanner. */
  #scan(text: string): void {
    if (text.length * 2 > this.#units.length) this.#units = Buffer.allocUnsafeSlow(text.length * 4)
    this.#units.write(text, 'utf16le')
    const units = new Uint16Array(this.#units.buffer, 0, text.length)
    for (let at = 0; at < text.length;) {
      const term = this.terms.wordAt(units, at, text.length)
      if (term === NOT_ASCII) at = scanTokens(text, at, at + 1, this.#tokens)
      else if (term === NO_WORD) at++
      else {
        this.#place(term)
        at = this.terms.wordEnd
      }
    }
  }

  #place(term: number): void {
    this.#token(term, this.#position++, this.#weight)
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

  #touch(term: number, weight: number): number {
    const record = this.#records.startOf(term)
    const { numbers } = this.#records
    if (numbers[record + WEIGHT] === 0) {
      if (this.#distinctCount === this.#distinct.length) this.#distinct = grown(this.#distinct, Uint32Array)
      this.#distinct[this.#distinctCount++] = term
    }
    numbers[record + WEIGHT]! += weight
    return record
  }

  #token(term: number, position: number, weight: number): void {
    const record = this.#touch(term, weight)
    if (this.#count === this.#places.length) {
      this.#places = grown(this.#places, Uint32Array)
      this.#following = grown(this.#following, Int32Array)
    }
    const records = this.#records.numbers
    const token = this.#count++
    this.#places[token] = position
    this.#following[token] = 0
    if (records[record + HEAD] === 0) records[record + HEAD] = token + 1
    else this.#following[records[record + TAIL]! - 1] = token + 1
    records[record + TAIL] = token + 1
  }

  #write(term: number, number: number): void {
    const record = this.#records.startOf(term)
    const records = this.#records.numbers
    const postings = writeVarint(this.#encoded, 0, number - records[record + LAST]!)
    const from = writeVarint(this.#encoded, postings, records[record + WEIGHT]!)
    const end = this.#encodePositions(records[record + HEAD]!, from)
    this.pool.append(term, this.#encoded, end)
    records[record + POSTING_BYTES]! += from
    records[record + POSITION_BYTES]! += end - from
    if (records[record + NOTES]!++ === 0) records[record + FIRST] = number
    records[record + LAST] = number + 1
    records[record + WEIGHT] = 0
    records[record + HEAD] = 0
  }

  /** Writes length and distances behind an offset and returns the end. The length is known only after the distances. */
  #encodePositions(head: number, from: number): number {
    let at = from + 1
    let next = 0
    for (let token = head; token !== 0; token = this.#following[token - 1]!) {
      if (at + POSTING_ROOM > this.#encoded.length) this.#encoded = grown(this.#encoded, Uint8Array)
      const place = this.#places[token - 1]!
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
