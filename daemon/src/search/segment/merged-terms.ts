import { TERM_SIZES, type FinishedPart } from './segment-part.ts'
import { varintLength, writeVarint } from './varint.ts'

type Terms = Pick<FinishedPart, 'files' | 'terms' | 'termEnds' | 'sizes'>

/** A term of all parts together. `index` has its index in each part, or -1. Valid until the next one is asked for. */
export type MergedTerm = { bytes: Uint8Array; index: Int32Array; notes: number; postings: number; positions: number }

/** No part has the term. */
const NONE = -1

// Where the sizes of a term lie.
const [NOTES, POSTINGS, POSITIONS, FIRST, LAST] = [0, 1, 2, 3, 4]

/** The terms of all parts in the order of their bytes, each once. A part follows the files of those before it. */
export function* mergedTerms(parts: readonly Terms[]): Generator<MergedTerm> {
  const next = new Int32Array(parts.length)
  const index = new Int32Array(parts.length)
  const heads = parts.map((part) => termAt(part, 0))
  for (;;) {
    let least: Uint8Array | undefined
    for (const [number, head] of heads.entries()) {
      const order = head === undefined ? 1 : least === undefined ? -1 : Buffer.compare(head, least)
      index[number] = order <= 0 ? next[number]! : NONE
      if (order >= 0) continue
      index.fill(NONE, 0, number)
      least = head
    }
    if (least === undefined) return
    yield { bytes: least, index, ...sizesOf(parts, index) }
    for (const [number, part] of parts.entries())
      if (index[number] !== NONE) heads[number] = termAt(part, ++next[number]!)
  }
}

/**
 * Makes the stream of a part follow that of the parts before it. Its first number is the distance to the start of the
 * part, and becomes the distance to the last note before. `end` is where the stream ends; returns where it ends then.
 */
export function join(
  parts: readonly Terms[],
  { index }: MergedTerm,
  { number, bytes, start, end }: { number: number; bytes: Uint8Array; start: number; end: number },
): number {
  const { own, distance } = distanceTo(parts, index, number)
  const [before, after] = [varintLength(own), varintLength(distance)]
  if (own !== distance) {
    if (before !== after) bytes.copyWithin(start + after, start + before, end)
    writeNumber(bytes, start, distance)
  }
  return end - before + after
}

/** The first number in the stream of a part: as it is there, and as it is behind the parts before. */
function distanceTo(parts: readonly Terms[], index: Int32Array, number: number): { own: number; distance: number } {
  const own = parts[number]!.sizes[index[number]! * TERM_SIZES + FIRST]!
  let base = 0
  let behindLast = 0
  for (let before = 0; before < number; before++) {
    const { files, sizes } = parts[before]!
    if (index[before] !== NONE) behindLast = base + sizes[index[before]! * TERM_SIZES + LAST]! + 1
    base += files
  }
  return { own, distance: base + own - behindLast }
}

function sizesOf(parts: readonly Terms[], index: Int32Array): Pick<MergedTerm, 'notes' | 'postings' | 'positions'> {
  const all = { notes: 0, postings: 0, positions: 0 }
  for (let number = 0; number < parts.length; number++) {
    if (index[number] === NONE) continue
    const at = index[number]! * TERM_SIZES
    const { sizes } = parts[number]!
    const { own, distance } = distanceTo(parts, index, number)
    all.notes += sizes[at + NOTES]!
    all.postings += sizes[at + POSTINGS]! - varintLength(own) + varintLength(distance)
    all.positions += sizes[at + POSITIONS]!
  }
  return all
}

const scratch = new Uint8Array(16)

/** There may be no room for eight bytes, which `writeVarint` asks for. */
function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  const length = writeVarint(scratch, 0, value)
  for (let index = 0; index < length; index++) bytes[at + index] = scratch[index]!
}

function termAt({ terms, termEnds }: Terms, index: number): Uint8Array | undefined {
  if (index >= termEnds.length) return undefined
  return terms.subarray(index === 0 ? 0 : termEnds[index - 1], termEnds[index])
}
