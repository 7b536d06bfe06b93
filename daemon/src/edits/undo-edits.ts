import { Text } from '@codemirror/state'
import { authoredLines, countOf, sliceRuns, type LineRuns } from './line-runs.ts'
import { textChanges, type TextChange } from './text-changes.ts'

/** The next text of a note; `undone` when its changes should be reverted, or only those in `lines`. */
export type RevisedText = { text: string; undone: boolean; lines?: LineRuns<boolean> | undefined }

/** A passage that cannot be reverted because others changed the same words later: its line, and both texts. */
export type UndoConflict = { line: number; now: string; before: string }

/** A note without some of its changes. */
export type UndoneText = { text: string; conflicts: UndoConflict[] }

/**
 * Characters `[from, to)` of the text, which were `before` without the changes to be undone. Hunks are kept in their
 * order in the text, and none overlaps another.
 */
type Hunk = { from: number; to: number; before: string; isConflict: boolean }

/**
 * Reverts some changes of a note and keeps all others. Text that others typed next to a change stays in place. Where
 * others changed the same words, nothing is reverted and the passage is reported. Pure.
 */
export function undoEdits({ first, texts }: { first: string; texts: readonly RevisedText[] }): UndoneText {
  let text = toText(first)
  let hunks: Hunk[] = []
  for (const next of texts) {
    const isUndone = undoneChanges(next)
    // From the last change to the first, so that none moves the positions of the others.
    for (const { change, undone } of placed(textChanges(text.toString(), next.text), isUndone).reverse()) {
      hunks = undone ? addUndone(hunks, text, change) : moveAlong(hunks, change)
      text = text.replace(change.from, change.to, toText(change.insert))
    }
  }
  const conflicts = hunks
    .filter(({ isConflict }) => isConflict)
    .map(({ from, to, before }) => ({ line: text.lineAt(from).number, now: text.sliceString(from, to), before }))
  for (const { from, to, before } of hunks.filter(({ isConflict }) => !isConflict).reverse())
    text = text.replace(from, to, toText(before))
  return { text: text.toString(), conflicts }
}

const toText = (text: string): Text => Text.of(text.split('\n'))

/** Whether a range of the new text should be undone. A deletion belongs to the line in which it was made. */
function undoneChanges({ text, undone, lines }: RevisedText): (from: number, to: number) => boolean {
  if (!lines || countOf(lines) !== authoredLines(text).length) return () => undone
  const now = toText(text)
  return (from, to) => {
    const [first, last] = [now.lineAt(from).number - 1, now.lineAt(Math.max(from, to - 1)).number]
    const runs = sliceRuns(lines, first, last)
    return runs.length === 0 ? undone : runs.every(({ by }) => by)
  }
}

function placed(changes: readonly TextChange[], isUndone: (from: number, to: number) => boolean) {
  let shift = 0
  return changes.map((change) => {
    const from = change.from + shift
    shift += grown(change)
    return { change, undone: isUndone(from, from + change.insert.length) }
  })
}

const grown = ({ from, to, insert }: TextChange): number => insert.length - (to - from)

/**
 * The hunks after a kept change: moved, or in conflict where the same characters were changed. Hunks that are replaced
 * by the same text become one.
 */
function moveAlong(hunks: readonly Hunk[], change: TextChange): Hunk[] {
  const moved: Hunk[] = []
  for (const hunk of hunks.flatMap((one) => movedAlong(one, change))) {
    const last = moved.at(-1)
    if (last === undefined || hunk.from >= last.to) moved.push(hunk)
    else moved.splice(-1, 1, { ...last, to: hunk.to, isConflict: true, before: passage([last.before, hunk.before]) })
  }
  return moved
}

function movedAlong(hunk: Hunk, change: TextChange): Hunk[] {
  if (change.to <= hunk.from) return [shifted(hunk, grown(change))]
  if (change.from >= hunk.to) return [hunk]
  const from = Math.min(hunk.from, change.from)
  if (change.insert !== '' || hunk.before !== '' || hunk.isConflict)
    return [{ ...hunk, from, to: Math.max(hunk.to, change.to) + grown(change), isConflict: true }]
  // Others have removed part of the addition: only the rest can be reverted.
  const left = hunk.to - hunk.from - (Math.min(hunk.to, change.to) - Math.max(hunk.from, change.from))
  return left === 0 ? [] : [{ ...hunk, from, to: from + left }]
}

/** The hunks with one more change to undo; those that it touches are merged into it. */
function addUndone(hunks: readonly Hunk[], text: Text, change: TextChange): Hunk[] {
  const [first, last] = metBy(hunks, change)
  const met = hunks.slice(first, last)
  const from = Math.min(change.from, met[0]?.from ?? change.from)
  const end = Math.max(change.to, met.at(-1)?.to ?? change.to)
  const parts: string[] = []
  let at = from
  for (const hunk of met) {
    parts.push(text.sliceString(at, Math.max(at, hunk.from)), hunk.before)
    // In a reported passage, text that is removed now is reported too.
    if (hunk.isConflict) parts.push(text.sliceString(Math.max(hunk.from, change.from), Math.min(hunk.to, change.to)))
    at = Math.max(at, hunk.to)
  }
  parts.push(text.sliceString(at, end))
  const isConflict = met.some((hunk) => hunk.isConflict)
  const before = isConflict ? passage(parts) : parts.join('')
  const joined = { from, to: end + grown(change), before, isConflict }
  return [...hunks.slice(0, first), joined, ...hunks.slice(last).map((hunk) => shifted(hunk, grown(change)))]
}

/** The range of hunks that a change to undo overlaps, with those beside them that it touches and that are no conflict. */
function metBy(hunks: readonly Hunk[], { from, to }: TextChange): [first: number, last: number] {
  const touches = (hunk: Hunk | undefined) => hunk?.isConflict === false && hunk.from <= to && hunk.to >= from
  let first = hunks.filter((hunk) => hunk.to <= from).length
  let last = hunks.filter((hunk) => hunk.from < to || hunk.to <= from).length
  while (touches(hunks[first - 1])) first--
  while (touches(hunks[last])) last++
  return [first, last]
}

/** A text of several places as it is reported. */
const passage = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' … ')

const shifted = (hunk: Hunk, by: number): Hunk => ({ ...hunk, from: hunk.from + by, to: hunk.to + by })
