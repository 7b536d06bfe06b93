import { alignTexts } from './align-lines.ts'
import { toEditorText } from './editor-text.ts'
import { rememberRuns, type KnownRuns } from './known-runs.ts'
import { carryRuns, countLines, countOf, joinRuns, sliceRuns, type LineRun, type LineRuns } from './line-runs.ts'

/**
 * The authors of a note's lines, by numbers that the caller assigns; 0 is an unknown author. `text` is undefined while
 * the note does not exist. `known` has the authors of earlier texts by the hash of their content.
 */
export type Authorship = {
  text: string | undefined
  runs: LineRun<number>[]
  known: KnownRuns
}

/** The next text of a note. `written` gives the authors of some lines; all other new lines are by `source`. */
export type AuthoredText = {
  text: string | undefined
  /** Identifies the text; a text without a name cannot be recognized later. */
  content: string | undefined
  source: number
  written?: LineRuns<number | undefined> | undefined
}

const UNKNOWN = 0
// The lines after as many runs have an unknown author: no reader can use more, and every reader gets them all.
const MAX_RUNS = 10_000

/** A note before its first text. */
export const noAuthorship: Authorship = { text: undefined, runs: [], known: [] }

/**
 * Follows a note through its texts. A line keeps its author until its words change; a text that the note had before
 * gets its authors back. Linear except for the comparison of lines, which is capped. Pure.
 */
export function foldAuthors({ base, texts }: { base: Authorship; texts: readonly AuthoredText[] }): Authorship {
  let { text, runs } = base
  let shown = toEditorText(text ?? '')
  const known = rememberRuns(base.known)

  for (const next of texts) {
    if (next.text !== undefined) {
      const nextShown = toEditorText(next.text)
      const { content } = next
      runs = (content !== undefined && known.find(content)) || limited(nextRuns({ shown, runs }, nextShown, next))
      shown = nextShown
      if (content !== undefined) known.put(content, runs)
    } else [shown, runs] = ['', []]
    text = next.text
  }
  return { text, runs, known: known.all() }
}

function nextRuns(
  before: { shown: string; runs: LineRuns<number> },
  shown: string,
  { source, written = [] }: AuthoredText,
): LineRun<number>[] {
  const isFitting = written.length > 0 && countOf(written) === countLines(shown)
  return carryRuns(before.runs, alignTexts(before.shown, shown), ({ fromB, toB }) =>
    isFitting
      ? joinRuns(sliceRuns(written, fromB, toB).map(({ lines: some, by }) => ({ lines: some, by: by ?? source })))
      : [{ lines: toB - fromB, by: source }],
  )
}

function limited(runs: LineRun<number>[]): LineRun<number>[] {
  if (runs.length <= MAX_RUNS) return runs
  const [first, rest] = [runs.slice(0, MAX_RUNS - 1), runs.slice(MAX_RUNS - 1)]
  return joinRuns([...first, { lines: countOf(rest), by: UNKNOWN }])
}
