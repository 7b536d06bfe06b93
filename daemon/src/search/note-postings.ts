import { PostingPool } from './posting-pool.ts'
import { grown, TermTable } from './term-table.ts'
import { writeVarint } from './varint.ts'
import { feedWhole, type NoteContent, type NoteSink } from './note-tokens.ts'

// What one posting needs at most besides its positions: three numbers.
const POSTING_ROOM = 32

/**
 * Collects the postings of notes, per term: the distance to the note before, the weight, and the positions with their
 * length in bytes in front. Note numbers only grow.
 */
export class NotePostings {
  readonly terms = new TermTable()
  readonly pool = new PostingPool()
  /** Per term: in how many notes it is, the last of them, bytes of postings and of positions over all spills. */
  notes = new Uint32Array(1 << 15)
  #last = new Int32Array(1 << 15).fill(-1)
  postingBytes = new Uint32Array(1 << 15)
  positionBytes = new Uint32Array(1 << 15)

  // The tokens of one note: a list per term, in the order of their places.
  #places = new Uint32Array(1 << 12)
  #following = new Int32Array(1 << 12)
  #count = 0
  #distinct = new Uint32Array(1 << 10)
  #distinctCount = 0
  // Per term while a note is read: first and last token + 1 (0: not in the note), weight.
  #head = new Int32Array(1 << 15)
  #tail = new Int32Array(1 << 15)
  #weight = new Uint32Array(1 << 15)
  #encoded = new Uint8Array(1 << 12)

  readonly #sink: NoteSink = {
    ascii: (text, start, end, position, weight) => this.#token(this.terms.ascii(text, start, end), position, weight),
    term: (term, position, weight) => this.#token(this.terms.term(term), position, weight),
    filterTerm: (term) => this.#touch(this.terms.term(term), 1),
  }

  /** Adds a note under a number larger than all before; answers how many tokens it has. */
  add(number: number, note: NoteContent): number {
    const tokens = feedWhole(note, this.#sink)
    for (let index = 0; index < this.#distinctCount; index++) this.#write(this.#distinct[index]!, number)
    this.#count = 0
    this.#distinctCount = 0
    return tokens
  }

  #touch(term: number, weight: number): void {
    if (term >= this.#head.length) this.#growTerms()
    if (this.#weight[term] === 0) {
      if (this.#distinctCount === this.#distinct.length) this.#distinct = grown(this.#distinct, Uint32Array)
      this.#distinct[this.#distinctCount++] = term
    }
    this.#weight[term]! += weight
  }

  #token(term: number, position: number, weight: number): void {
    this.#touch(term, weight)
    if (this.#count === this.#places.length) {
      this.#places = grown(this.#places, Uint32Array)
      this.#following = grown(this.#following, Int32Array)
    }
    const token = this.#count++
    this.#places[token] = position
    this.#following[token] = 0
    if (this.#head[term] === 0) this.#head[term] = token + 1
    else this.#following[this.#tail[term]! - 1] = token + 1
    this.#tail[term] = token + 1
  }

  #write(term: number, number: number): void {
    let at = writeVarint(this.#encoded, 0, number - this.#last[term]! - 1)
    at = writeVarint(this.#encoded, at, this.#weight[term]!)
    this.postingBytes[term]! += at

    const positions = this.#encodePositions(term, at)
    this.positionBytes[term]! += positions - at
    this.pool.append(term, this.#encoded, positions)
    this.notes[term]!++
    this.#last[term] = number
    this.#weight[term] = 0
    this.#head[term] = 0
  }

  /** Writes length and distances behind an offset and answers the end. The length is known only after the distances. */
  #encodePositions(term: number, from: number): number {
    let at = from + 1
    let last = -1
    for (let token = this.#head[term]!; token !== 0; token = this.#following[token - 1]!) {
      if (at + POSTING_ROOM > this.#encoded.length) this.#encoded = grown(this.#encoded, Uint8Array)
      const place = this.#places[token - 1]!
      at = writeVarint(this.#encoded, at, place - last - 1)
      last = place
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

  #growTerms(): void {
    const from = this.#last.length
    this.#last = grown(this.#last, Int32Array).fill(-1, from)
    this.#head = grown(this.#head, Int32Array)
    this.#tail = grown(this.#tail, Int32Array)
    this.#weight = grown(this.#weight, Uint32Array)
    this.notes = grown(this.notes, Uint32Array)
    this.postingBytes = grown(this.postingBytes, Uint32Array)
    this.positionBytes = grown(this.positionBytes, Uint32Array)
  }
}
