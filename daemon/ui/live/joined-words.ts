import { ChangeSet, type Text } from '@codemirror/state'
import { isJoint, wordAt } from '../../src/edits/merge-apart.ts'

type Place = { from: number; to: number }

type Typed = {
  /** The local change, based on the text that already contains the change of the other. */
  mine: ChangeSet
  before: Text
  after: Text
  /** The change of the other person, whose result is `before`. */
  other: ChangeSet
}

/**
 * The places where a word typed here touches a word that somebody else typed at the same time: both replaced the same
 * word, or both started a word at the same place. Pure.
 */
export function joinedWords({ mine, before, after, other }: Typed): number[] {
  const origin = mine.invertedDesc
  const written: Place[] = []
  other.iterChangedRanges((_fromA, _toA, from, to) => void written.push({ from, to }))
  const isWritten = ({ from, to }: Place) => written.some((range) => range.from <= from && to <= range.to)

  const places: number[] = []
  mine.iterChangedRanges((_fromA, _toA, from, to) => {
    if (from === to) return
    const start = origin.mapPos(from, -1)
    const wordBefore = wordAt(before, start)
    if (isJoint(after, from) && wordBefore.to === start && isWritten(wordBefore)) places.push(from)
    const end = origin.mapPos(to, 1)
    const wordBehind = wordAt(before, end)
    if (isJoint(after, to) && wordBehind.from === end && isWritten(wordBehind)) places.push(to)
  })
  return places
}

/** The change that inserts a blank at each place of a text. */
export const blanksAt = (places: readonly number[], { length }: Text): ChangeSet =>
  ChangeSet.of(
    places.map((from) => ({ from, insert: ' ' })),
    length,
    '\n',
  )
