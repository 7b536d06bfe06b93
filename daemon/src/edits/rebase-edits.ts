import { lineOf } from './anchors.ts'
import { diffLines, splitLines } from './line-diff.ts'
import type { Splice } from './plan-edits.ts'
import { touches, type LineRange } from './unified-diff.ts'

/**
 * Splices made for one version of a text, moved to a later version; undefined when that version changed what they
 * touch.
 */
export function rebaseSplices(base: string, current: string, splices: readonly Splice[]): Splice[] | undefined {
  const a = splitLines(base)
  const b = splitLines(current)
  const changes = diffLines(a, b)
  const offsetsA = offsetsOf(a)
  const offsetsB = offsetsOf(b)

  const moved: Splice[] = []
  for (const splice of splices) {
    const range = touchedLines(base, splice)
    if (changes.some((change) => touches(change, range))) return undefined
    const before = changes.findLast(({ toA }) => toA <= range.from)
    const shift = before ? offsetsB[before.toB]! - offsetsA[before.toA]! : 0
    moved.push({ ...splice, start: splice.start + shift, end: splice.end + shift })
  }
  return moved
}

/** The lines that a splice changes, counted from 0, the end not included. */
export function touchedLines(text: string, { start, end }: Splice): LineRange {
  return { from: lineOf(text, start) - 1, to: lineOf(text, Math.max(start, end - 1)) }
}

function offsetsOf(lines: readonly string[]): number[] {
  const offsets = [0]
  for (const line of lines) offsets.push(offsets.at(-1)! + line.length)
  return offsets
}
