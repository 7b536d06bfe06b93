import { randomInt } from 'node:crypto'

const FNV_PRIME = 0x01000193

// Random, so that nobody can write a note whose words all have the same hash. No result depends on them.
const [OF_LOW, OF_HIGH] = [oddNumber(), oddNumber()]

/** The hash of no bytes, as a start. */
export const NOTHING_HASHED = oddNumber()

/** The hash of bytes and one more byte. */
export const hashedWith = (hash: number, byte: number): number => Math.imul(hash ^ byte, FNV_PRIME)

/**
 * The hash of a word, from its first eight bytes as two numbers and the hash of its other bytes combined with its
 * length.
 */
export function hashOf(low: number, high: number, rest: number): number {
  const mixed = Math.imul(low, OF_LOW) ^ Math.imul(high, OF_HIGH) ^ rest
  const spread = Math.imul(mixed ^ (mixed >>> 15), FNV_PRIME)
  return spread ^ (spread >>> 13)
}

function oddNumber(): number {
  return randomInt(2 ** 31) | 1
}
