import { diffLines, splitLines, type LineChange } from './line-diff.ts'

const CONTEXT = 2
const MAX_LENGTH = 4000

/** Lines of the old text that a diff is limited to, counted from 0, the end not included. */
export type LineRange = { from: number; to: number }

/** A small diff for readers, in unified form without file names; with `within` only what touches those lines. */
export function unifiedDiff(before: string, after: string, within?: readonly LineRange[]): string {
  const a = splitLines(before)
  const b = splitLines(after)
  const changes = diffLines(a, b).filter((change) => !within || within.some((range) => touches(change, range)))
  const text = group(changes)
    .map((hunk) => renderHunk(a, b, hunk))
    .join('')
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH).toWellFormed()}\n… (cut)\n`
}

/** True when a change lies in the lines or right beside them. */
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

function renderHunk(a: readonly string[], b: readonly string[], hunk: readonly LineChange[]): string {
  const first = hunk[0]!
  const last = hunk.at(-1)!
  const lead = Math.min(CONTEXT, first.fromA, first.fromB)
  const trail = Math.min(CONTEXT, a.length - last.toA, b.length - last.toB)
  const fromA = first.fromA - lead
  const fromB = first.fromB - lead

  const lines: string[] = []
  let at = fromA
  for (const { fromA: from, toA, fromB: fromNew, toB } of hunk) {
    lines.push(...a.slice(at, from).map((line) => ` ${line}`))
    lines.push(...a.slice(from, toA).map((line) => `-${line}`))
    lines.push(...b.slice(fromNew, toB).map((line) => `+${line}`))
    at = toA
  }
  lines.push(...a.slice(at, last.toA + trail).map((line) => ` ${line}`))

  const header = `@@ -${fromA + 1},${last.toA + trail - fromA} +${fromB + 1},${last.toB + trail - fromB} @@\n`
  return header + lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`)).join('')
}
