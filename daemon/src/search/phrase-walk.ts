import type { Candidates } from './candidates.ts'
import { grown } from './postings/grown.ts'
import type { WordPlaces } from './word-places.ts'

// Work between two checks of the clock, in notes and bytes of positions: well under a millisecond.
const NOTES_STRIDE = 512
const BYTES_STRIDE = 8192
// The number of slots for marks, a power of two: few enough for the L1 cache, and so many that starts rarely share one.
const SIGNS = 2048

type Options = { words: readonly WordPlaces[]; keepsStarts: boolean }

/**
 * Walks notes that contain all the words and keeps those in which the words follow each other. It processes one note
 * after the other, because the places of a common word in all notes would take megabytes.
 */
export class PhraseWalk {
  readonly #found: Candidates
  readonly #words: readonly WordPlaces[]
  readonly #notes: number
  readonly #keepsStarts: boolean
  #starts = new Uint32Array(1 << 10)
  readonly #signs = new Uint32Array(SIGNS)
  #index = 0

  /** The starts in the notes that were kept, if requested. */
  readonly kept: Starts

  constructor(found: Candidates, { words, keepsStarts }: Options) {
    this.#found = found
    this.#words = words
    this.#notes = found.count
    this.#keepsStarts = keepsStarts
    this.kept = new Starts(keepsStarts ? found.count : 0)
    found.count = 0
  }

  /** Continues for one slice; false when all notes are done. */
  goOn(): boolean {
    const { numbers, values } = this.#found
    const end = Math.min(this.#notes, this.#index + NOTES_STRIDE)
    let index = this.#index
    for (let bytes = 0; index < end && bytes < BYTES_STRIDE; index++) {
      const number = numbers[index]!
      const count = this.#mayStandIn(number) ? this.#startsIn() : 0
      for (const word of this.#words) bytes += word.bytes
      if (count === 0) continue
      if (this.#keepsStarts) this.kept.add(this.#starts.subarray(0, count))
      numbers[this.#found.count] = number
      values[this.#found.count++] = values[index]!
    }
    this.#index = index
    return index < this.#notes
  }

  /**
   * A quick filter: false for most notes without the phrase. Comparing all places of two words takes several times as
   * long, because the processor cannot predict which of two places comes first.
   */
  #mayStandIn(number: number): boolean {
    const words = this.#words
    const signs = this.#signs
    const sign = number + 1
    words[0]!.seek(number)
    if (words.length > 1) words[0]!.leaveSigns(signs, sign)
    for (let word = 1; word < words.length; word++) {
      words[word]!.seek(number)
      if (!words[word]!.meetsSign(signs, sign)) return false
    }
    return true
  }

  /** Finds the starts of the phrase in a note that all words agree with. Returns their number. */
  #startsIn(): number {
    const words = this.#words
    const first = this.#words[0]!
    while (first.bytes > this.#starts.length) this.#starts = grown(this.#starts, Uint32Array)
    let count = first.starts(this.#starts)
    for (let word = 1; word < words.length && count > 0; word++)
      count = words[word]!.narrow(this.#starts, { from: 0, to: count })
    return count
  }
}

/** Where a phrase may start in each of some notes, in one array; `#ends` has the end of each note's part. */
export class Starts {
  readonly #ends: Uint32Array
  #starts = new Uint32Array(1 << 10)
  #notes = 0
  #count = 0

  constructor(notes: number) {
    this.#ends = new Uint32Array(notes)
  }

  /** Adds a note. */
  add(starts: Uint32Array): void {
    while (this.#count + starts.length > this.#starts.length) this.#starts = grown(this.#starts, Uint32Array)
    this.#starts.set(starts, this.#count)
    this.#count += starts.length
    this.#ends[this.#notes++] = this.#count
  }

  /**
   * True when a place of a word agrees with one of the starts in a note. The other starts of the note may be
   * overwritten.
   */
  meet(note: number, word: WordPlaces): boolean {
    return word.narrow(this.#starts, { from: this.#ends[note - 1] ?? 0, to: this.#ends[note]! }) > 0
  }
}
