import type { ChangeSet, Text } from '@codemirror/state'
import type { LineChange } from '../edits/line-diff.ts'
import { carryRuns, countOf, joinRuns, sliceRuns, type LineRuns } from '../edits/line-runs.ts'
import type { Actor } from '../entry/actor.ts'
import { authorOf, type Author } from '../entry/author.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'

/** The author of each line of a text that the note file does not have; undefined for lines that it has. */
export type LineWriters = LineRuns<Author | undefined>

type Written = { before: Text; changes: ChangeSet; after: Text; by: Author | undefined }

const writerOfActor = new WeakMap<Actor, Author>()

/** The writer of an actor: always the same object, so that adjacent lines of one actor form one run. */
export function writerOf(actor: Actor): Author {
  const known = writerOfActor.get(actor) ?? authorOf(actor)
  writerOfActor.set(actor, known)
  return known
}

/** The writers of a text that is saved: none of its lines is new. */
export const noWriters = (text: Text): LineWriters => [{ lines: text.lines, by: undefined }]

/** The writers, or none of them if they do not fit the text. */
export const writersFor = (text: Text, writers: LineWriters | undefined): LineWriters =>
  writers && countOf(writers) === text.lines ? writers : noWriters(text)

/**
 * The authors after a change. A line that two people changed gets the later author. A change without an author came
 * from the file, whose lines have their authors elsewhere; text typed into the same lines keeps its author. Pure.
 */
export function writersAfter(writers: LineWriters, { before, changes, after, by }: Written): LineWriters {
  return carryRuns(writers, changedLines(before, changes, after), ({ fromA, toA, fromB, toB }) => {
    const typed = by ?? sliceRuns(writers, fromA, toA).findLast((run) => run.by !== undefined)?.by
    return [{ lines: toB - fromB, by: typed }]
  })
}

/** The author of each line of a text, in the form that the history stores. */
export function writtenLines({ text, writers }: { text: Text; writers: LineWriters }): WrittenLines {
  // The history does not count an empty last line.
  const lines = countOf(writers) - (text.line(text.lines).length === 0 ? 1 : 0)
  return joinRuns(sliceRuns(writers, 0, lines))
}

/** The lines that changes touch; those at the edges whose words stay the same are left out. */
function changedLines(before: Text, changes: ChangeSet, after: Text): LineChange[] {
  const found: LineChange[] = []
  changes.iterChanges((fromA, toA, fromB, toB) => {
    const change = {
      fromA: before.lineAt(fromA).number - 1,
      toA: before.lineAt(toA).number,
      fromB: after.lineAt(fromB).number - 1,
      toB: after.lineAt(toB).number,
    }
    const last = found.at(-1)
    if (last && (change.fromA < last.toA || change.fromB < last.toB)) {
      last.toA = change.toA
      last.toB = change.toB
    } else found.push(change)
  })
  return found.map((change) => trimmed(before, after, change))
}

function trimmed(before: Text, after: Text, { fromA, toA, fromB, toB }: LineChange): LineChange {
  const isSame = (lineA: number, lineB: number) => before.line(lineA + 1).text === after.line(lineB + 1).text
  while (fromA < toA && fromB < toB && isSame(fromA, fromB)) {
    fromA++
    fromB++
  }
  while (fromA < toA && fromB < toB && isSame(toA - 1, toB - 1)) {
    toA--
    toB--
  }
  return { fromA, toA, fromB, toB }
}
