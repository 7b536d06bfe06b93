import type { Candidates } from './candidates.ts'
import { grown } from './postings/grown.ts'
import type { WordPlaces } from './word-places.ts'

// Work between two checks of the clock, in notes and bytes of positions: well under a millisecond.
const NOTES_STRIDE = 512
const BYTES_STRIDE = 8192
// The number of slots for marks, a power of two: few enough for the L1 cache, and so many that starts rarely share one.
const SIGNS = 2048

/** The places of a word, and for each note of the list the byte at which its places begin. */
export type PhraseWord = { places: WordPlaces; begins: Uint32Array }

type Options = { words: readonly PhraseWord[]; keepsStarts: boolean }

/**
 * Walks notes that contain all the words and keeps those in which the words follow each other. It processes one note
 * after the other, because the places of a common word in all notes would take megabytes.
 */
export class PhraseWalk {
  readonly #found: Candidates
  readonly #words: readonly PhraseWord[]
  readonly #notes: number
  readonly #keepsStarts: boolean
  #starts = new Uint32Array(1 << 10)
  readonly #signs = new Uint32Array(SIGNS)
  // The places in the list of the likely notes of a slice, which have moved to the front of the slice.
  readonly #origins = new Uint32Array(NOTES_STRIDE)
  // The next note of the list, and the part of a slice that must still be checked: `[#next, #end)`.
  #index = 0
  #from = 0
  #next = 0
  #end = 0

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
    if (this.#next === this.#end) this.#findLikely()
    for (let bytes = 0; this.#next < this.#end && bytes < BYTES_STRIDE;) {
      const index = this.#next++
      const count = this.#startsIn(this.#origins[index - this.#from]!)
      for (const { places } of this.#words) bytes += places.bytes
      if (count === 0) continue
      if (this.#keepsStarts) this.kept.add(this.#starts.subarray(0, count))
      numbers[this.#found.count] = numbers[index]!
      values[this.#found.count++] = values[index]!
    }
    return this.#index < this.#notes || this.#next < this.#end
  }

  /**
   * A quick filter: moves the notes of a slice in which the first two words may follow each other to its front, few
   * notes without the phrase among them. Comparing all places of two words takes several times as long, because the
   * processor cannot predict which of two places comes first.
   */
  #findLikely(): void {
    const { numbers, values } = this.#found
    const signs = this.#signs
    const [first, second] = this.#words
    const from = this.#index
    const end = Math.min(this.#notes, from + NOTES_STRIDE)
    let index = from
    let likely = from
    for (let bytes = 0; index < end && bytes < BYTES_STRIDE; index++) {
      numbers[likely] = numbers[index]!
      values[likely] = values[index]!
      this.#origins[likely - from] = index
      bytes += first!.places.leaveSigns(first!.begins[index]!, signs, index + 1)
      const met = second?.places.meetSigns(second.begins[index]!, signs, index + 1) ?? 1
      bytes += Math.abs(met)
      if (met > 0) likely++
    }
    this.#from = from
    this.#next = from
    this.#end = likely
    this.#index = index
  }

  /** Finds the starts of the phrase in a note of the list that all words agree with. Returns their number. */
  #startsIn(index: number): number {
    const words = this.#words
    for (const { places, begins } of words) places.goTo(begins[index])
    const first = words[0]!.places
    while (first.bytes > this.#starts.length) this.#starts = grown(this.#starts, Uint32Array)
    let count = first.starts(this.#starts)
    for (let word = 1; word < words.length && count > 0; word++)
      count = words[word]!.places.narrow(this.#starts, { from: 0, to: count })
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
