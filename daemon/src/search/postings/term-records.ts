import { grown } from './grown.ts'

/** How many numbers a term has, and from which on they are those of its stream of postings. */
export const NUMBERS = 16
export const STREAM = 8

/**
 * Numbers of terms. All of one term lie in one line of the processor's cache: collecting postings in a large vault waits for
 * little else.
 */
export class TermRecords {
  numbers = new Uint32Array((1 << 15) * NUMBERS)

  /** Where the numbers of a term begin. They may have moved, so `numbers` is read afterwards. */
  startOf(term: number): number {
    const start = term * NUMBERS
    while (start >= this.numbers.length) this.numbers = grown(this.numbers, Uint32Array)
    return start
  }
}
