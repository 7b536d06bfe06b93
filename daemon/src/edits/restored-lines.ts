import { alignLines } from './align-lines.ts'
import { authoredLines, joinRuns, type LineRuns } from './line-runs.ts'

/** An earlier text of a note, with the authors of its lines. */
export type EarlierText = { text: string; runs: LineRuns<number> }

/**
 * The authors of lines that a text restores: for each line that is not in `now`, its author in the newest earlier text
 * that contains it. Undefined for lines that stay, and for new ones. Pure.
 */
export function restoredLines({
  now,
  text,
  earlier,
}: {
  now: string
  text: string
  earlier: readonly EarlierText[]
}): LineRuns<number | undefined> {
  const lines = authoredLines(text)
  const writers = Array.from<number | undefined>({ length: lines.length })
  const open = new Set(
    alignLines(authoredLines(now), lines).flatMap(({ fromB, toB }) =>
      Array.from({ length: toB - fromB }, (_, index) => fromB + index),
    ),
  )
  for (const { text: old, runs } of earlier) {
    if (open.size === 0) break
    const oldLines = authoredLines(old)
    const writersOfOld = runs.flatMap(({ lines: count, by }) => Array<number>(count).fill(by))
    let [atA, atB] = [0, 0]
    const end = { fromA: oldLines.length, toA: oldLines.length, fromB: lines.length, toB: lines.length }
    for (const { fromA, toA, fromB, toB } of [...alignLines(oldLines, lines), end]) {
      for (; atA < fromA && atB < fromB; atA++, atB++) if (open.delete(atB)) writers[atB] = writersOfOld[atA]
      ;[atA, atB] = [toA, toB]
    }
  }
  return joinRuns(writers.map((by) => ({ lines: 1, by })))
}
