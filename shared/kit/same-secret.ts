import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares two hashes or signatures in constant time. Their lengths are no secret. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Compares two secrets by their digests, so that neither time nor length reveals anything about them. */
export function sameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
