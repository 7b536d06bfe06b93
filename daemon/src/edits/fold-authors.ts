import { alignLines } from './align-lines.ts'
import { authoredLines, carryRuns, countOf, joinRuns, sliceRuns, type LineRun, type LineRuns } from './line-runs.ts'

/**
 * Who wrote the lines of a note, by numbers that the caller gives to its sources. `text` is undefined while the note is
 * gone. `known` holds the authors of earlier texts by the name of their content.
 */
export type Authorship = {
  text: string | undefined
  runs: LineRun<number>[]
  known: [content: string, runs: LineRun<number>[]][]
}

/** The next text of a note. `written` says who wrote some of its lines; the other new ones are by `source`. */
export type AuthoredText = {
  text: string | undefined
  /** Names the text; a text without a name is not known again. */
  content: string | undefined
  source: number
  written?: LineRuns<number | undefined> | undefined
}

// A note that goes back to an older text than these is taken for written anew.
const MAX_KNOWN = 200

/** A note before its first text. */
export const noAuthorship: Authorship = { text: undefined, runs: [], known: [] }

/**
 * Follows a note through its texts. A line stays with its author until its words change; a text that the note had before
 * gets back the authors that it had. Linear but for the comparison of lines, which is capped. Pure.
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
