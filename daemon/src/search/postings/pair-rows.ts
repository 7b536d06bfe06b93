// In a note of 500 words, a fifth of the rows have its bit: so many notes seem to have a pair that they do not have.
/** A power of two. */
export const PAIR_ROWS = 2048

const OF_LOW = 0x9e3779b1
const OF_HIGH = 0x85ebca6b
const OF_SECOND = 0xc2b2ae35
const TO_ROW = 32 - Math.log2(PAIR_ROWS)

/**
 * A number for a word, from its first eight bytes as two numbers and its length. Words that share one share their rows.
 * It is stored with the index, so it is not secret: whoever chooses words with equal numbers makes some phrases slower to
 * find in their own notes, no more.
 */
export const signOf = (low: number, high: number, size: number): number => {
  const mixed = Math.imul(low, OF_LOW) ^ Math.imul(high ^ (size << 24), OF_HIGH)
  return mixed ^ (mixed >>> 15)
}

/** The row of two words that follow each other, from their numbers. */
export const rowOf = (first: number, second: number): number =>
  Math.imul(first ^ Math.imul(second, OF_SECOND), OF_LOW) >>> TO_ROW

/** The row of two terms that follow each other. */
export const rowOfTerms = (first: string, second: string): number => rowOf(signOfTerm(first), signOfTerm(second))

function signOfTerm(term: string): number {
  const bytes = Buffer.from(term)
  const first = Buffer.alloc(8)
  bytes.copy(first)
  return signOf(first.readInt32LE(0), first.readInt32LE(4), bytes.length)
}
