import { toEditorText, withoutBom } from './editor-text.ts'
import type { LineChange } from './line-diff.ts'

/** Consecutive lines that have the same property, such as their author. */
export type LineRun<T> = { lines: number; by: T }
export type LineRuns<T> = readonly LineRun<T>[]

/** The lines of a text as an editor shows them, without an empty last line. Line ends do not belong to a line. */
export function authoredLines(text: string): string[] {
  const lines = toEditorText(text).split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The number of lines of a text, as many as `authoredLines` returns, without an array of them. */
export function countLines(text: string): number {
  let count = 0
  let start = text.length - withoutBom(text).length
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== LINE_FEED && (code !== CARRIAGE_RETURN || text.charCodeAt(at + 1) === LINE_FEED)) continue
    count++
    start = at + 1
  }
  return start < text.length ? count + 1 : count
}

const [LINE_FEED, CARRIAGE_RETURN] = [10, 13]

export const countOf = (runs: LineRuns<unknown>): number => runs.reduce((sum, { lines }) => sum + lines, 0)

/** The runs of the lines `[from, to)`. */
export function sliceRuns<T>(runs: LineRuns<T>, from: number, to: number): LineRun<T>[] {
  const slice: LineRun<T>[] = []
  let at = 0
  for (const { lines, by } of runs) {
    const [start, end] = [Math.max(from, at), Math.min(to, at + lines)]
    if (start < end) slice.push({ lines: end - start, by })
    at += lines
    if (at >= to) break
  }
  return slice
}

/** The same lines in as few runs as possible. */
export function joinRuns<T>(runs: Iterable<LineRun<T>>): LineRun<T>[] {
  const joined: LineRun<T>[] = []
  for (const { lines, by } of runs) {
    if (lines === 0) continue
    const last = joined.at(-1)
    if (last && last.by === by) last.lines += lines
    else joined.push({ lines, by })
  }
  return joined
}

/**
 * The runs of a text after changes: lines that no change touches keep their values, and `fill` returns the runs of the
 * lines `[fromB, toB)` that a change inserted.
 */
export function carryRuns<T>(
  runs: LineRuns<T>,
  changes: readonly LineChange[],
  fill: (change: LineChange) => LineRuns<T>,
): LineRun<T>[] {
  const carried: LineRun<T>[] = []
  // Not by `push(...)`: more runs than a call takes arguments would throw.
  const add = (some: LineRuns<T>) => {
    for (const run of some) carried.push(run)
  }
  const kept = cursorOf(runs)
  let at = 0
  for (const change of changes) {
    add(kept.take(change.fromA - at))
    add(fill(change))
    kept.take(change.toA - change.fromA)
    at = change.toA
  }
  add(kept.take(Number.POSITIVE_INFINITY))
  return joinRuns(carried)
}

/** Lays the runs of one value over those of another: where `over` has no value, `under` applies. */
export function overlayRuns<T>(
  over: LineRuns<T | undefined>,
  under: LineRuns<T | undefined>,
): LineRun<T | undefined>[] {
  const below = cursorOf(under)
  return joinRuns(
    over.flatMap(({ lines, by }) => {
      const hidden = below.take(lines)
      return by === undefined ? hidden : [{ lines, by }]
    }),
  )
}

/** Reads runs from the first line on, so that many changes cost no more than one walk. */
function cursorOf<T>(runs: LineRuns<T>): { take(lines: number): LineRun<T>[] } {
  let index = 0
  let used = 0
  return {
    take(lines) {
      const taken: LineRun<T>[] = []
      let left = lines
      while (left > 0 && index < runs.length) {
        const run = runs[index]!
        const some = Math.min(left, run.lines - used)
        taken.push({ lines: some, by: run.by })
        left -= some
        used += some
        if (used === run.lines) [index, used] = [index + 1, 0]
      }
      return taken
    },
  }
}
