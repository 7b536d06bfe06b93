import { diffLines, splitLines, type LineChange } from './line-diff.ts'

/** Replaces the characters `[from, to)` of the old text. */
export type TextChange = { from: number; to: number; insert: string }

// Beyond this many characters, a changed block is replaced as a whole, which limits the cost of a rewrite.
const MAX_COMPARED = 512 * 1024
const MAX_REFINED = 64 * 1024

/**
 * The changes that turn one text into another, in order: differing lines, refined to the differing words. Words are
 * never split, so that a word which somebody else typed meanwhile stays whole. Pure.
 */
export function textChanges(before: string, after: string): TextChange[] {
  const { head, tail } = commonEnds(before, after)
  const [a, b] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  if (a === '' && b === '') return []
  if (a === '' || b === '' || a.length + b.length > MAX_COMPARED)
    return [{ from: head, to: head + a.length, insert: b }]
  return compare({ a, b, offset: head, split: splitLines, diff: diffLines, refine: words })
}

/** True when a change replaces so much that the position of other people's text in it is unknown. */
export const isCoarse = ({ from, to, insert }: TextChange): boolean => to - from > 2000 && insert.length > 2000

type Block = { a: string; b: string; offset: number }
type Comparison = Block & { split(text: string): string[]; diff: typeof diffLines; refine(block: Block): TextChange[] }

function compare({ a, b, offset, split, diff, refine }: Comparison): TextChange[] {
  const [partsA, partsB] = [split(a), split(b)]
  const [offsetsA, offsetsB] = [offsetsOf(partsA), offsetsOf(partsB)]
  return diff(partsA, partsB).flatMap(({ fromA, toA, fromB, toB }) => {
    const from = offsetsA[fromA]!
    const block = {
      a: a.slice(from, offsetsA[toA]),
      b: b.slice(offsetsB[fromB]!, offsetsB[toB]),
      offset: offset + from,
    }
    return block.a === '' || block.b === '' ? [whole(block)] : refine(block)
  })
}

function words(block: Block): TextChange[] {
  if (block.a.length + block.b.length > MAX_REFINED) return [whole(block)]
  return compare({ ...block, split: splitWords, diff: diffWords, refine: (part) => [whole(part)] })
}

/**
 * A word that came or went between two blanks can be described with either of them. It gets the one behind it, as people
 * type: with the blank before it, the next word at the same place, by somebody else, would be glued to it.
 */
function diffWords(a: readonly string[], b: readonly string[]): LineChange[] {
  const runs = diffLines(a, b)
  return runs.map((run, index) => {
    const isInsertion = run.fromA === run.toA
    if (!isInsertion && run.fromB !== run.toB) return run
    const [parts, from, to] = isInsertion ? [b, run.fromB, run.toB] : [a, run.fromA, run.toA]
    const end = runs[index + 1]?.fromA ?? a.length
    let by = 0
    while (run.toA + by < end && parts[from + by] === parts[to + by]) by++
    return { fromA: run.fromA + by, toA: run.toA + by, fromB: run.fromB + by, toB: run.toB + by }
  })
}

const whole = ({ a, b, offset }: Block): TextChange => ({ from: offset, to: offset + a.length, insert: b })
const splitWords = (text: string): string[] => text.match(/\s|\S+/g) ?? []

/** The lengths of the common head and tail, cut back to whole lines. */
function commonEnds(a: string, b: string): { head: number; tail: number } {
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a.charCodeAt(head) === b.charCodeAt(head)) head++
  if (head > 0 && (head < a.length || head < b.length)) head = a.lastIndexOf('\n', head - 1) + 1
  let tail = 0
  while (tail < most - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++
  const lineStart = a.indexOf('\n', a.length - tail) + 1
  return { head, tail: tail > 0 && lineStart > 0 ? a.length - lineStart : 0 }
}

function offsetsOf(parts: readonly string[]): number[] {
  const offsets = [0]
  for (const part of parts) offsets.push(offsets.at(-1)! + part.length)
  return offsets
}
