import { diffLines, splitLines, type LineChange } from './line-diff.ts'

const CONTEXT = 2
const MAX_LENGTH = 4000

/** Lines of the old text that a diff is limited to, counted from 0, the end not included. */
export type LineRange = { from: number; to: number }

/**
 * A small diff for readers, in unified form without file names; with `within`, only the changes that touch those lines.
 */
export function unifiedDiff(before: string, after: string, within?: readonly LineRange[]): string {
  const a = splitLines(before)
  const b = splitLines(after)
  const changes = diffLines(a, b).filter((change) => !within || within.some((range) => touches(change, range)))
  let text = ''
  for (const line of diffText(a, b, group(changes))) {
    text += line
    if (text.length > MAX_LENGTH) return `${text.slice(0, MAX_LENGTH).toWellFormed()}\n… (cut)\n`
  }
  return text
}

/** True when a change is in the lines or directly next to them. */
export function touches({ fromA, toA }: LineChange, { from, to }: LineRange): boolean {
  return fromA <= to && toA >= from
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

/** The lines of the diff, produced one by one: the reader stops at its limit. */
function* diffText(a: readonly string[], b: readonly string[], hunks: readonly LineChange[][]): Generator<string> {
  for (const hunk of hunks) {
    const first = hunk[0]!
    const last = hunk.at(-1)!
    const lead = Math.min(CONTEXT, first.fromA, first.fromB)
    const trail = Math.min(CONTEXT, a.length - last.toA, b.length - last.toB)
    const [fromA, toA] = [first.fromA - lead, last.toA + trail]
    const [fromB, toB] = [first.fromB - lead, last.toB + trail]

    yield `@@ -${fromA + 1},${toA - fromA} +${fromB + 1},${toB - fromB} @@\n`
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
