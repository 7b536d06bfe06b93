import { VarintReader, writeVarint } from '../segment/varint.ts'
import { PLACES_END, TOKENS, WEIGHT, type NoteWords } from './note-words.ts'

// A term has so many bytes: a length that differs costs more by wrong predictions of the processor than it saves.
const TERM_BYTES = 3
/** A bucket has fewer terms than this. */
export const MAX_TERMS = 2 ** (8 * TERM_BYTES)
/** The maximum size of an entry without its positions, and of each position. */
export const ENTRY_ROOM = 32
export const POSITION_ROOM = 8

/**
 * Writes the term and the note of an entry at an offset of bytes that have room for it; returns where its weight
 * begins.
 */
export function writeStart(bytes: Uint8Array, start: number, term: number, distance: number): number {
  bytes[start] = term
  bytes[start + 1] = term >>> 8
  bytes[start + 2] = term >>> 16
  return writeVarint(bytes, start + TERM_BYTES, distance)
}

/**
 * Writes weight and places of the word at an offset of the words of a note; returns where they end. The places are
 * distances with their length in bytes in front. That is known only after them, and nearly always one byte.
 */
export function writeWord(bytes: Uint8Array, start: number, { numbers, places }: NoteWords, word: number): number {
  const from = writeVarint(bytes, start, numbers[word + WEIGHT]!)
  const end = numbers[word + PLACES_END]!
  let at = from + 1
  let next = 0
  for (let index = end - numbers[word + TOKENS]!; index < end; index++) {
    const place = places[index]!
    at = writeVarint(bytes, at, place - next)
    next = place + 1
  }
  const length = at - from - 1
  if (length < 128) {
    bytes[from] = length
    return at
  }
  const lengthBytes = new Uint8Array(8)
  const extra = writeVarint(lengthBytes, 0, length)
  bytes.copyWithin(from + extra, from + 1, at)
  bytes.set(lengthBytes.subarray(0, extra), from)
  return at + extra - 1
}

/** Reads the entries of a bucket in their order. Its fields are those of the entry that was read last. */
export class EntryReader {
  term = 0
  note = 0
  /** Where the weight begins, where the positions begin with their length, and where they end. */
  weightAt = 0
  positionsAt = 0
  end = 0
  readonly #numbers: VarintReader
  readonly #until: number

  constructor(bytes: Uint8Array, until: number) {
    this.#numbers = new VarintReader(bytes, 0)
    this.#until = until
  }

  /** False when there is no other entry. */
  next(): boolean {
    const numbers = this.#numbers
    const { bytes, at } = numbers
    if (at === this.#until) return false
    this.term = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
    numbers.at = at + TERM_BYTES
    this.note += numbers.next()
    this.weightAt = numbers.at
    numbers.next()
    this.positionsAt = numbers.at
    numbers.skip()
    this.end = numbers.at
    return true
  }
}
