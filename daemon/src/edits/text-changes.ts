import type { Text } from '@codemirror/state'
import { commonEnds, diffLines, splitLines } from './line-diff.ts'

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
  return lines({ a, b, offset: head })
}

/** True when a change replaces so much that the position of other people's text in it is unknown. */
export const isCoarse = ({ from, to, insert }: TextChange): boolean => to - from > 2000 && insert.length > 2000

/** Whether a place is inside a character of two units: no change may begin or end there. Pure. */
export function isInsideCharacter(text: Text, at: number): boolean {
  if (at <= 0 || at >= text.length) return false
  const [high, low] = [text.sliceString(at - 1, at).charCodeAt(0), text.sliceString(at, at + 1).charCodeAt(0)]
  return (high & 0xfc00) === 0xd800 && (low & 0xfc00) === 0xdc00
}

type Block = { a: string; b: string; offset: number }
type Comparison = Block & { partsA: string[]; partsB: string[]; refine(block: Block): TextChange[] }

const lines = (block: Block): TextChange[] =>
  compare({ ...block, partsA: splitLines(block.a), partsB: splitLines(block.b), refine: words })

function compare({ a, b, offset, partsA, partsB, refine }: Comparison): TextChange[] {
  const [offsetsA, offsetsB] = [offsetsOf(partsA), offsetsOf(partsB)]
  return diffLines(partsA, partsB).flatMap(({ fromA, toA, fromB, toB }) => {
    const from = offsetsA[fromA]!
    const block = {
      a: a.slice(from, offsetsA[toA]),
      b: b.slice(offsetsB[fromB]!, offsetsB[toB]),
      offset: offset + from,
    }
    return block.a === '' || block.b === '' ? [whole(block)] : refine(block)
  })
}

/** Finds the words that both texts have, and compares what is between them. */
function words(block: Block): TextChange[] {
  const { a, b, offset } = block
  if (a.length + b.length > MAX_REFINED) return [whole(block)]
  const [wordsA, wordsB] = [wordsOf(a), wordsOf(b)]
  const runs = diffLines(
    wordsA.map(([word]) => word),
    wordsB.map(([word]) => word),
  )
  const changes: TextChange[] = []
  let [endA, endB] = [0, 0]
  const upTo = (startA: number, startB: number) =>
    changes.push(...between({ a: a.slice(endA, startA), b: b.slice(endB, startB), offset: offset + endA }))
  let [nextA, nextB] = [0, 0]
  for (const run of [...runs, { fromA: wordsA.length, toA: 0, fromB: wordsB.length, toB: 0 }]) {
    for (; nextA < run.fromA; nextA++, nextB++) {
      const [wordA, wordB] = [wordsA[nextA]!, wordsB[nextB]!]
      upTo(wordA.index, wordB.index)
      endA = wordA.index + wordA[0].length
      endB = wordB.index + wordB[0].length
    }
    ;[nextA, nextB] = [run.toA, run.toB]
  }
  upTo(a.length, b.length)
  return changes
}

/**
 * Compares blanks, and words that only one of the texts has. A new word is inserted together with the blank after it,
 * as people type: a change that ends with the word would join it to a word that somebody else typed at the same place.
 */
function between(block: Block): TextChange[] {
  const { a, b, offset } = withoutCommonStart(block)
  if (a === '' && b === '') return []
  if (a === '' || b === '') return [whole({ a, b, offset })]
  return compare({
    a,
    b,
    offset,
    partsA: a.match(/\s|\S+/g)!,
    partsB: b.match(/\S+\s?|\s/g)!,
    refine: withoutCommonBlank,
  })
}

function withoutCommonStart({ a, b, offset }: Block): Block {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && a[same] === b[same] && isBlank(a[same]!)) same++
  return { a: a.slice(same), b: b.slice(same), offset: offset + same }
}

/** The replacement of one word by another, without the blank after it if both texts have it. */
function withoutCommonBlank({ a, b, offset }: Block): TextChange[] {
  const isCommon = a.at(-1) === b.at(-1) && isBlank(a.at(-1)!)
  return [whole({ a: isCommon ? a.slice(0, -1) : a, b: isCommon ? b.slice(0, -1) : b, offset })]
}

const whole = ({ a, b, offset }: Block): TextChange => ({ from: offset, to: offset + a.length, insert: b })
const wordsOf = (text: string) => [...text.matchAll(/\S+/g)]
const isBlank = (character: string): boolean => /\s/.test(character)

function offsetsOf(parts: readonly string[]): number[] {
  const offsets = [0]
  for (const part of parts) offsets.push(offsets.at(-1)! + part.length)
  return offsets
}
