import { FIRST, LAST, NOTES, POSITION_BYTES, POSTING_BYTES, TERM_NUMBERS } from '../postings/posting-bucket.ts'
import type { FinishedPart } from './segment-part.ts'
import { varintLength, writeVarint } from './varint.ts'

type Terms = Pick<FinishedPart, 'files' | 'terms' | 'termEnds' | 'numbers'>

/** In how many notes a term is, and the bytes of its postings and positions, over all parts. */
export type TermSizes = { notes: number; postings: number; positions: number }

/** A part does not have the term. */
export const NONE = -1

/**
 * The terms of all parts, each once, numbered in the order of their bytes. A part follows the files of those before it.
 * Every method is small and called per term: V8 then optimizes it soon, which counts in a process that lives for
 * seconds.
 */
export class MergedTerms {
  count = 0
  readonly #parts: readonly Terms[]
  // By term and part: the index of the term in the part, or NONE.
  readonly #indexes: Int32Array
  // By part: how many files the parts before it have.
  readonly #bases: number[] = []

  constructor(parts: readonly Terms[]) {
    this.#parts = parts
    let files = 0
    let most = 0
    for (const part of parts) {
      this.#bases.push(files)
      files += part.files
      most += part.termEnds.length
    }
    this.#indexes = new Int32Array(most * parts.length)
    const next = new Int32Array(parts.length)
    while (this.#takeLeast(next)) this.count++
  }

  /** The index of a term in a part, or NONE. */
  indexIn(term: number, part: number): number {
    return this.#indexes[term * this.#parts.length + part]!
  }

  bytesOf(term: number): Uint8Array {
    let part = 0
    while (this.indexIn(term, part) === NONE) part++
    const { terms, termEnds } = this.#parts[part]!
    const index = this.indexIn(term, part)
    return terms.subarray(startOf(termEnds, index), termEnds[index])
  }

  sizesOf(term: number): TermSizes {
    const all = { notes: 0, postings: 0, positions: 0 }
    for (let part = 0; part < this.#parts.length; part++) {
      const index = this.indexIn(term, part)
      if (index === NONE) continue
      const { numbers } = this.#parts[part]!
      const at = index * TERM_NUMBERS
      const shift = varintLength(this.#distance(term, part)) - varintLength(numbers[at + FIRST]!)
      all.notes += numbers[at + NOTES]!
      all.postings += numbers[at + POSTING_BYTES]! + shift
      all.positions += numbers[at + POSITION_BYTES]!
    }
    return all
  }

  /**
   * Makes the stream of a part follow that of the parts before it. Its first number is the distance to the start of the
   * part, and becomes the distance to the last note before. `end` is where the stream ends; returns where it ends then.
   */
  join(term: number, part: number, { bytes, start, end }: { bytes: Uint8Array; start: number; end: number }): number {
    const own = this.#parts[part]!.numbers[this.indexIn(term, part) * TERM_NUMBERS + FIRST]!
    const distance = this.#distance(term, part)
    if (own === distance) return end
    const [before, after] = [varintLength(own), varintLength(distance)]
    if (before !== after) bytes.copyWithin(start + after, start + before, end)
    writeNumber(bytes, start, distance)
    return end - before + after
  }

  /** The distance from the last note with the term in the parts before to the first one in a part. */
  #distance(term: number, part: number): number {
    let behindLast = 0
    for (let before = 0; before < part; before++) {
      const index = this.indexIn(term, before)
      if (index !== NONE) behindLast = this.#bases[before]! + this.#parts[before]!.numbers[index * TERM_NUMBERS + LAST]!
    }
    const own = this.#parts[part]!.numbers[this.indexIn(term, part) * TERM_NUMBERS + FIRST]!
    return this.#bases[part]! + own - behindLast
  }

  /** Notes which parts have the least of their next terms, and goes on behind it there. False when no term is left. */
  #takeLeast(next: Int32Array): boolean {
    const [parts, indexes] = [this.#parts, this.#indexes]
    const at = this.count * parts.length
    let least = NONE
    for (let part = 0; part < parts.length; part++) {
      const index = next[part]!
      indexes[at + part] = NONE
      if (index === parts[part]!.termEnds.length) continue
      const order = least === NONE ? -1 : compare(parts[part]!, index, parts[least]!, next[least]!)
      if (order > 0) continue
      if (order < 0) {
        for (let before = least; before !== NONE && before < part; before++) indexes[at + before] = NONE
        least = part
      }
      indexes[at + part] = index
    }
    for (let part = 0; part < parts.length; part++) if (indexes[at + part] !== NONE) next[part]!++
    return least !== NONE
  }
}

const startOf = (termEnds: Uint32Array, index: number): number => (index === 0 ? 0 : termEnds[index - 1]!)

/** Below 0 when the first of two terms comes first. In a loop, since most terms are a few bytes. */
function compare(a: Terms, indexOfA: number, b: Terms, indexOfB: number): number {
  const startOfA = startOf(a.termEnds, indexOfA)
  const startOfB = startOf(b.termEnds, indexOfB)
  const lengthOfA = a.termEnds[indexOfA]! - startOfA
  const lengthOfB = b.termEnds[indexOfB]! - startOfB
  const shorter = Math.min(lengthOfA, lengthOfB)
  for (let offset = 0; offset < shorter; offset++) {
    const difference = a.terms[startOfA + offset]! - b.terms[startOfB + offset]!
    if (difference !== 0) return difference
  }
  return lengthOfA - lengthOfB
}

const scratch = new Uint8Array(16)

/** There may be no room for eight bytes, which `writeVarint` asks for. */
function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  const length = writeVarint(scratch, 0, value)
  for (let index = 0; index < length; index++) bytes[at + index] = scratch[index]!
}
