import { alignLines } from './align-lines.ts'
import { authoredLines, carryRuns, countOf, joinRuns, sliceRuns, type LineRun, type LineRuns } from './line-runs.ts'

/**
 * The authors of a note's lines, by numbers that the caller assigns. `text` is undefined while the note does not exist.
 * `known` has the authors of earlier texts by the hash of their content.
 */
export type Authorship = {
  text: string | undefined
  runs: LineRun<number>[]
  known: [content: string, runs: LineRun<number>[]][]
}

/** The next text of a note. `written` gives the authors of some lines; all other new lines are by `source`. */
export type AuthoredText = {
  text: string | undefined
  /** Identifies the text; a text without a name cannot be recognized later. */
  content: string | undefined
  source: number
  written?: LineRuns<number | undefined> | undefined
}

// The number of earlier texts to keep. A note that returns to an older text counts as newly written.
const MAX_KNOWN = 200

/** A note before its first text. */
export const noAuthorship: Authorship = { text: undefined, runs: [], known: [] }

/**
 * Follows a note through its texts. A line keeps its author until its words change; a text that the note had before
 * gets its authors back. Linear except for the comparison of lines, which is capped. Pure.
 */
export function foldAuthors({ base, texts }: { base: Authorship; texts: readonly AuthoredText[] }): Authorship {
  let { text, runs } = base
  let lines = text === undefined ? [] : authoredLines(text)
  const known = new Map(base.known)

  for (const next of texts) {
    if (next.text !== undefined) {
      const nextLines = authoredLines(next.text)
      const { content } = next
      runs = (content !== undefined && known.get(content)) || nextRuns({ lines, runs }, nextLines, next)
      lines = nextLines
      if (content !== undefined) {
        known.delete(content)
        known.set(content, runs)
        if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!)
      }
    } else [lines, runs] = [[], []]
    text = next.text
  }
  return { text, runs, known: [...known] }
}

function nextRuns(
  before: { lines: readonly string[]; runs: LineRuns<number> },
  lines: readonly string[],
  { source, written = [] }: AuthoredText,
): LineRun<number>[] {
  const isFitting = countOf(written) === lines.length
  return carryRuns(before.runs, alignLines(before.lines, lines), ({ fromB, toB }) =>
    isFitting
      ? joinRuns(sliceRuns(written, fromB, toB).map(({ lines: some, by }) => ({ lines: some, by: by ?? source })))
      : [{ lines: toB - fromB, by: source }],
  )
}
