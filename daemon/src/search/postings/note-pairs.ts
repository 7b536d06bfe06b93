import { HIGH, LOW, SIZE, WORD_NUMBERS, type NoteWords } from './note-words.ts'
import { PAIR_ROWS, rowOf, signOf } from './pair-rows.ts'

const BITS = 32
/** Words of 32 notes that a chunk has of each row. */
export const CHUNK_WORDS = 64

/**
 * Collects which notes have which pairs of words that follow each other, as rows of bits: a pair has a row, which other
 * pairs share, and a note has a bit in each row. Chunk n has bits of the notes from `n * CHUNK_WORDS * 32` on, row by row.
 */
export class NotePairs {
  readonly #chunks: Uint32Array[] = []
  // The bits of 32 notes in all rows, which fit the first-level cache of the processor.
  readonly #bits = new Uint32Array(PAIR_ROWS)
  #word = 0

  /** Adds a note under a number larger than all before. */
  add(number: number, words: NoteWords): void {
    const word = Math.floor(number / BITS)
    if (word !== this.#word) this.#goTo(word)
    mark(words, this.#bits, 1 << (number % BITS))
  }

  /** The chunks with a note; the last ones may be missing. Nothing can be added afterwards. */
  finish(): Uint32Array[] {
    this.#goTo(this.#word + 1)
    return this.#chunks
  }

  #goTo(word: number): void {
    const index = Math.floor(this.#word / CHUNK_WORDS)
    while (this.#chunks.length <= index) this.#chunks.push(new Uint32Array(PAIR_ROWS * CHUNK_WORDS))
    const chunk = this.#chunks[index]!
    const bits = this.#bits
    for (let row = 0, at = this.#word % CHUNK_WORDS; row < PAIR_ROWS; row++, at += CHUNK_WORDS) chunk[at] = bits[row]!
    bits.fill(0)
    this.#word = word
  }
}

/** Sets a bit in the row of each two words that follow each other. */
function mark(ofNote: NoteWords, rows: Uint32Array, bit: number): void {
  const { numbers } = ofNote
  const { words, places, count } = ofNote.tokens()
  let follows = -1
  let before = 0
  for (let token = 0; token < count; token++) {
    const word = words[token]! * WORD_NUMBERS
    const sign = signOf(numbers[word + LOW]!, numbers[word + HIGH]!, numbers[word + SIZE]!)
    if (places[token] === follows) rows[rowOf(before, sign)]! |= bit
    follows = places[token]! + 1
    before = sign
  }
}
