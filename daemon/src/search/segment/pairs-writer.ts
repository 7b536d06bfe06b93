import { CHUNK_WORDS } from '../postings/note-pairs.ts'
import { PAIR_ROWS } from '../postings/pair-rows.ts'
import type { BlockWriter } from './block-writer.ts'
import { pairRowBytes } from './segment-format.ts'
import type { FinishedPart } from './segment-part.ts'

const BITS = 32

/** Writes the rows of pairs of all parts, the bits of a part behind those of the parts before it. */
export function writePairs(writer: BlockWriter, parts: readonly Pick<FinishedPart, 'files' | 'pairs'>[]): void {
  const bytes = pairRowBytes(parts.reduce((total, { files }) => total + files, 0))
  const section = writer.section('pairs', bytes * PAIR_ROWS)
  const row = new Uint32Array(bytes / Uint32Array.BYTES_PER_ELEMENT)
  const written = new Uint8Array(row.buffer)
  for (let number = 0; number < PAIR_ROWS; number++) {
    row.fill(0)
    let base = 0
    for (const { files, pairs } of parts) {
      for (const [index, chunk] of pairs.entries()) {
        const from = number * CHUNK_WORDS
        add(row, base + index * CHUNK_WORDS * BITS, chunk.subarray(from, from + CHUNK_WORDS))
      }
      base += files
    }
    section.write(written)
  }
  section.end()
}

/** Adds bits to a row from a bit on. Bits beyond the end of the row are 0. */
function add(row: Uint32Array, from: number, bits: Uint32Array): void {
  const first = Math.floor(from / BITS)
  const shift = from % BITS
  const count = Math.min(bits.length, row.length - first)
  if (shift === 0) {
    for (let index = 0; index < count; index++) row[first + index]! |= bits[index]!
    return
  }
  for (let index = 0; index < count; index++) {
    row[first + index]! |= bits[index]! << shift
    if (first + index + 1 < row.length) row[first + index + 1]! |= bits[index]! >>> (BITS - shift)
  }
}
