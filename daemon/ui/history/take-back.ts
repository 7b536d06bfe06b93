import { diffLines } from '../saving/diff-lines.ts'
import { linesOf } from './changed-lines.ts'

type Texts = {
  /** The text before a version, and after it. */
  before: string
  after: string
  /** The text of the note now. */
  current: string
}

/**
 * The current text of the note with one change of a version undone: its lines are as before the version. Undefined if
 * the lines that the change wrote have changed since. Pure.
 */
export function takeBack({ before, after, current }: Texts, hunk: number): string | undefined {
  const [old, fresh, now] = [linesOf(before), linesOf(after), linesOf(current)]
  const change = diffLines(old, fresh)[hunk]
  if (change === undefined) return undefined
  let moved = 0
  for (const since of diffLines(fresh, now)) {
    // New lines were inserted where the version removed lines. Nobody can say which of them come first.
    const isSamePlace = since.from === since.to && change.start === change.end && since.from === change.start
    if (since.from >= change.end && !isSamePlace) break
    if (since.to > change.start || isSamePlace) return undefined
    moved = since.end - since.to
  }
  const at = change.start + moved
  return [...now.slice(0, at), ...old.slice(change.from, change.to), ...now.slice(change.end + moved)].join('\n')
}
