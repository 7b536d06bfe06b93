import { commonEnds, diffLines, splitLines, type LineChange } from './line-diff.ts'

const CONTEXT = 2
const MAX_LENGTH = 4000

/** Lines of the old text that a diff is limited to, counted from 0, the end not included. */
export type LineRange = { from: number; to: number }

/**
 * A small diff for readers, in unified form without file names; with `within`, only the changes that touch those lines.
 */
export function unifiedDiff(before: string, after: string, within?: readonly LineRange[]): string {
  // Only what is between the common ends is split: a note can have millions of lines.
  const { head, tail } = withContext(before, commonEnds(before, after))
  const a = splitLines(before.slice(head, before.length - tail))
  const b = splitLines(after.slice(head, after.length - tail))
  const above = lineBreaksIn(before, head)
  const isWanted = ({ fromA, toA, ...rest }: LineChange) =>
    !within || within.some((range) => touches({ ...rest, fromA: fromA + above, toA: toA + above }, range))
  const changes = diffLines(a, b).filter(isWanted)
  let text = ''
  for (const line of diffText({ a, b, above }, group(changes))) {
    text += line
    if (text.length > MAX_LENGTH) return `${text.slice(0, MAX_LENGTH).toWellFormed()}\n… (cut)\n`
  }
  return text
}

/** True when a change is in the lines or directly next to them. */
export function touches({ fromA, toA }: LineChange, { from, to }: LineRange): boolean {
  return fromA <= to && toA >= from
}

/** Common ends without the lines next to the difference, which a diff shows. */
function withContext(text: string, { head, tail }: { head: number; tail: number }): { head: number; tail: number } {
  let [start, end] = [head, text.length - tail]
  for (let lines = 0; lines < CONTEXT; lines++) {
    if (start > 1) start = text.lastIndexOf('\n', start - 2) + 1
    else start = 0
    const next = text.indexOf('\n', end)
    end = next === -1 ? text.length : next + 1
  }
  return { head: start, tail: text.length - end }
}

function lineBreaksIn(text: string, length: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < length; at = text.indexOf('\n', at + 1)) count++
  return count
}

function group(changes: readonly LineChange[]): LineChange[][] {
  const hunks: LineChange[][] = []
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1)
    if (last && change.fromA - last.toA <= 2 * CONTEXT) hunks.at(-1)!.push(change)
    else hunks.push([change])
  }
  return hunks
}

type Compared = { a: readonly string[]; b: readonly string[]; above: number }

/** The lines of the diff, produced one by one: the reader stops at its limit. `above` lines are not in the lists. */
function* diffText({ a, b, above }: Compared, hunks: readonly LineChange[][]): Generator<string> {
  for (const hunk of hunks) {
    const first = hunk[0]!
    const last = hunk.at(-1)!
    const lead = Math.min(CONTEXT, first.fromA, first.fromB)
    const trail = Math.min(CONTEXT, a.length - last.toA, b.length - last.toB)
    const [fromA, toA] = [first.fromA - lead, last.toA + trail]
    const [fromB, toB] = [first.fromB - lead, last.toB + trail]

    yield `@@ -${above + fromA + 1},${toA - fromA} +${above + fromB + 1},${toB - fromB} @@\n`
    let at = fromA
    for (const change of hunk) {
      yield* marked(' ', a, at, change.fromA)
      yield* marked('-', a, change.fromA, change.toA)
      yield* marked('+', b, change.fromB, change.toB)
      at = change.toA
    }
    yield* marked(' ', a, at, toA)
  }
}

function* marked(mark: string, lines: readonly string[], from: number, to: number): Generator<string> {
  for (let at = from; at < to; at++) {
    const line = lines[at]!
    yield line.endsWith('\n') ? mark + line : `${mark}${line}\n`
  }
}
