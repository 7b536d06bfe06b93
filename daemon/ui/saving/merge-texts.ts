import { diffLines, type Hunk } from './diff-lines.ts'

/** Both people's changes to `base` in one text, or undefined where they touch the same or neighbouring lines. */
export function mergeTexts({ base, mine, theirs }: { base: string; mine: string; theirs: string }): string | undefined {
  const [old, ours, others] = [base, mine, theirs].map((text) => text.split('\n')) as [string[], string[], string[]]
  const changes = [
    ...diffLines(old, ours).map((hunk) => ({ hunk, lines: ours.slice(hunk.start, hunk.end) })),
    ...diffLines(old, others).map((hunk) => ({ hunk, lines: others.slice(hunk.start, hunk.end) })),
  ].toSorted((one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to)

  const merged: string[] = []
  let at = 0
  let last: (typeof changes)[number] | undefined
  for (const change of changes) {
    if (last && sameChange(last, change)) continue
    if (last && change.hunk.from <= last.hunk.to) return undefined
    merged.push(...old.slice(at, change.hunk.from), ...change.lines)
    at = change.hunk.to
    last = change
  }
  return [...merged, ...old.slice(at)].join('\n')
}

type Change = { hunk: Hunk; lines: string[] }

const sameChange = (one: Change, other: Change) =>
  one.hunk.from === other.hunk.from &&
  one.hunk.to === other.hunk.to &&
  one.lines.length === other.lines.length &&
  one.lines.every((line, at) => line === other.lines[at])
