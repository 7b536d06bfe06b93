import { asciiTerm, MAX_TERM, scanTokens, type TokenSink } from '../words/tokens.ts'
import { grown } from './grown.ts'
import { hashOf, hashedWith, NOTHING_HASHED } from './word-hash.ts'

// Numbers of a word: its hash; its first eight bytes as two numbers, padded with zeros; where its other bytes begin;
// its length in bytes; its weight in the note; the number of its tokens; where the list of their places ends.
export const HASH = 0
export const LOW = 1
export const HIGH = 2
export const REST = 3
export const SIZE = 4
export const WEIGHT = 5
export const TOKENS = 6
export const PLACES_END = 7
export const WORD_NUMBERS = 8
/** The number of bytes of a word that its numbers include. */
export const FIRST_BYTES = 8
/** More than the bytes of any term: the longest have 120 code units. */
export const TERM_ROOM = 512

const FEW_SLOTS = 1 << 11

// What each ASCII character becomes within a word, with its case folded; 0 for a character that ends a word, and for
// all others.
const FOLDED = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase()
  return code < 128 && /\w/.test(character) ? character.charCodeAt(0) : 0
})

/**
 * The distinct words of one note with their places. All of it fits the first-level cache of the processor: in a large
 * vault, the processor then waits for memory once for each distinct word of a note, not for each word.
 */
export class NoteWords {
  /** The number of distinct words. */
  count = 0
  numbers = new Int32Array(1024 * WORD_NUMBERS)
  /** The folded bytes of the words after their first eight. */
  bytes = new Uint8Array(1 << 14)
  /** The places of each word in order, after `sortPlaces` was called. */
  places = new Uint32Array(1 << 12)

  // By token: its word and its place.
  #words = new Uint32Array(1 << 12)
  #unsorted = new Uint32Array(1 << 12)
  #tokens = 0
  #end = 0
  #fewSlots = new Uint32Array(FEW_SLOTS)
  #slots = this.#fewSlots
  // The code units of the present field; those beyond ASCII are 255.
  #units = Buffer.allocUnsafeSlow(1 << 15)
  #position = 0
  #weight = 0
  readonly #encoder = new TextEncoder()
  readonly #encoded = new Uint8Array(TERM_ROOM)

  readonly #sink: TokenSink = {
    // Called only for words that are not pure ASCII.
    ascii: (text, start, end) => this.#place(this.#term(asciiTerm(text, start, end))),
    folded: (term) => this.#place(this.#term(term)),
    closing: (term) => this.#place(this.#term(term)),
  }

  clear(): void {
    this.count = 0
    this.#tokens = 0
    this.#end = 0
    this.#slots = this.#fewSlots
    this.#slots.fill(0)
  }

  /** Adds a term without a place. */
  addTerm(term: string): void {
    this.numbers[this.#term(term) * WORD_NUMBERS + WEIGHT]! += 1
  }

  /** Adds the words of a field, the first one at a place; returns the place after the last one. */
  addField(text: string, { position, weight }: { position: number; weight: number }): number {
    this.#position = position
    this.#weight = weight
    this.#readUnits(text)
    const units = this.#units
    for (let at = 0; at < text.length;) {
      if (FOLDED[units[at]!] !== 0) at = this.#addWord(units, at, text)
      else if (units[at]! < 128) at++
      else at = scanTokens(text, at, at + 1, this.#sink)
    }
    return this.#position
  }

  /** Groups the places of each word. */
  sortPlaces(): void {
    const { numbers } = this
    while (this.places.length < this.#tokens) this.places = grown(this.places, Uint32Array)
    let end = 0
    for (let word = 0; word < this.count * WORD_NUMBERS; word += WORD_NUMBERS) {
      numbers[word + PLACES_END] = end
      end += numbers[word + TOKENS]!
    }
    const [words, unsorted, places] = [this.#words, this.#unsorted, this.places]
    for (let token = 0; token < this.#tokens; token++) {
      const word = words[token]! * WORD_NUMBERS
      places[numbers[word + PLACES_END]!++] = unsorted[token]!
    }
  }

  /** The first `count` tokens in order: the index and the place of each. */
  tokens(): { words: Uint32Array; places: Uint32Array; count: number } {
    return { words: this.#words, places: this.#unsorted, count: this.#tokens }
  }

  #readUnits(text: string): void {
    const { length } = text
    if (length >= this.#units.length) this.#units = Buffer.allocUnsafeSlow(length * 2)
    const units = this.#units
    if (Buffer.byteLength(text) === length) units.write(text, 'latin1')
    else for (let at = 0; at < length; at++) units[at] = Math.min(text.charCodeAt(at), 255)
    // Ends the last word.
    units[length] = 0
  }

  /**
   * Adds the word that begins at an offset with an ASCII character, and returns where it ends. This runs for each
   * character of a vault: that is why the first eight bytes are handled without a loop.
   */
  #addWord(units: Buffer, start: number, text: string): number {
    let at = start
    let letter = FOLDED[units[at]!]!
    let low = letter
    let high = 0
    let rest = NOTHING_HASHED
    ends: {
      if ((letter = FOLDED[units[++at]!]!) === 0) break ends
      low |= letter << 8
      if ((letter = FOLDED[units[++at]!]!) === 0) break ends
      low |= letter << 16
      if ((letter = FOLDED[units[++at]!]!) === 0) break ends
      low |= letter << 24
      if ((letter = FOLDED[units[++at]!]!) === 0) break ends
      high = letter
      if ((letter = FOLDED[units[++at]!]!) === 0) break ends
      high |= letter << 8
      if ((letter = FOLDED[units[++at]!]!) === 0) break ends
      high |= letter << 16
      if ((letter = FOLDED[units[++at]!]!) === 0) break ends
      high |= letter << 24
      const { bytes } = this
      let end = this.#end
      while ((letter = FOLDED[units[++at]!]!) !== 0) {
        if (at - start >= MAX_TERM) continue
        rest = hashedWith(rest, letter)
        bytes[end++] = letter
      }
    }
    // A character beyond ASCII may belong to the word.
    if (units[at]! >= 128) return scanTokens(text, start, start + 1, this.#sink)
    this.#place(this.#indexOf(Math.min(at - start, MAX_TERM), low, high, rest))
    return at
  }

  /** The index of a folded term. */
  #term(term: string): number {
    const { written } = this.#encoder.encodeInto(term, this.#encoded)
    const encoded = this.#encoded
    let low = 0
    let high = 0
    let rest = NOTHING_HASHED
    for (let index = 0; index < written; index++) {
      const byte = encoded[index]!
      if (index < 4) low |= byte << (index * 8)
      else if (index < FIRST_BYTES) high |= byte << (index * 8 - 32)
      else {
        rest = hashedWith(rest, byte)
        this.bytes[this.#end + index - FIRST_BYTES] = byte
      }
    }
    return this.#indexOf(written, low, high, rest)
  }

  /**
   * The index of a word, which is added if it is new. Its bytes after the first eight are in `bytes`, after those of
   * all other words.
   */
  #indexOf(size: number, low: number, high: number, rest: number): number {
    const hash = hashOf(low, high, rest ^ size)
    const { numbers } = this
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = slots[slot]! - 1
      if (index === -1) return this.#add(slot, size, hash, low, high)
      const word = index * WORD_NUMBERS
      if (numbers[word + HASH] !== hash || numbers[word + LOW] !== low || numbers[word + HIGH] !== high) continue
      if (numbers[word + SIZE] === size && (size <= FIRST_BYTES || this.#isLast(word, size))) return index
    }
  }

  #isLast(word: number, size: number): boolean {
    const start = this.numbers[word + REST]!
    for (let offset = 0; offset < size - FIRST_BYTES; offset++)
      if (this.bytes[start + offset] !== this.bytes[this.#end + offset]) return false
    return true
  }

  #add(slot: number, size: number, hash: number, low: number, high: number): number {
    const index = this.count++
    const word = index * WORD_NUMBERS
    if (word === this.numbers.length) this.numbers = grown(this.numbers, Int32Array)
    const { numbers } = this
    numbers[word + HASH] = hash
    numbers[word + LOW] = low
    numbers[word + HIGH] = high
    numbers[word + REST] = this.#end
    numbers[word + SIZE] = size
    numbers[word + WEIGHT] = 0
    numbers[word + TOKENS] = 0
    if (size > FIRST_BYTES) this.#end += size - FIRST_BYTES
    if (this.#end + TERM_ROOM > this.bytes.length) this.bytes = grown(this.bytes, Uint8Array)
    this.#slots[slot] = index + 1
    if (this.count * 2 > this.#slots.length) this.#rehash()
    return index
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let index = 0; index < this.count; index++) {
      let slot = this.numbers[index * WORD_NUMBERS + HASH]! & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = index + 1
    }
    this.#slots = slots
  }

  /** Adds a token of a word. */
  #place(index: number): void {
    const token = this.#tokens++
    if (token === this.#words.length) {
      this.#words = grown(this.#words, Uint32Array)
      this.#unsorted = grown(this.#unsorted, Uint32Array)
    }
    this.#words[token] = index
    this.#unsorted[token] = this.#position++
    const word = index * WORD_NUMBERS
    this.numbers[word + WEIGHT]! += this.#weight
    this.numbers[word + TOKENS]!++
  }
}
