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
 * The text of the note now with the lines of one change of a version as they were before it. Undefined when what that
 * change wrote has been changed since. Pure.
 */
export function takeBack({ before, after, current }: Texts, hunk: number): string | undefined {
  const [old, fresh, now] = [linesOf(before), linesOf(after), linesOf(current)]
  const change = diffLines(old, fresh)[hunk]
  if (change === undefined) return undefined
  let moved = 0
  for (const since of diffLines(fresh, now)) {
    // Lines that were inserted where lines were removed: nobody knows which of them should come first.
    const isSamePlace = since.from === since.to && change.start === change.end && since.from === change.start
    if (since.from >= change.end && !isSamePlace) break
    if (since.to > change.start || isSamePlace) return undefined
    moved = since.end - since.to
  }
  const at = change.start + moved
  return [...now.slice(0, at), ...old.slice(change.from, change.to), ...now.slice(change.end + moved)].join('\n')
}
