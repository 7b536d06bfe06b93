import { z } from 'zod'
import { alignLines } from '../edits/align-lines.ts'
import { authoredLines, carryRuns, countOf, overlayRuns } from '../edits/line-runs.ts'
import { sameAuthor, sameProgram, type Author, type LineAuthor } from '../entry/author.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'

/** An author as stored in the queue and in commit messages. */
export const PackedAuthor = z.object({
  id: z.string(),
  name: z.string(),
  person: z.object({ id: z.string(), name: z.string() }).optional(),
  integration: z.string().optional(),
  registration: z.string().optional(),
  atMs: z.number().optional(),
})

/** The authors of lines, each author once: pairs of a number of lines and the index of their author, or -1. */
export const PackedLines = z.object({
  authors: z.array(PackedAuthor),
  runs: z.array(z.tuple([z.int().positive(), z.int().min(-1)])),
})
type PackedLines = z.infer<typeof PackedLines>

const TRAILER = 'Svc-Lines: '
// With more runs, the whole change counts as its author's.
const MAX_RUNS = 5000
// The lines of larger notes are not compared on the event loop.
const MAX_COMPARED_BYTES = 128 * 1024

export function packLines(written: WrittenLines): PackedLines {
  const authors: LineAuthor[] = []
  const placeOf = (by: LineAuthor | undefined): number => {
    if (by === undefined) return -1
    const known = authors.findIndex((one) => sameProgram(one, by) && one.atMs === by.atMs)
    return known === -1 ? authors.push(by) - 1 : known
  }
  const runs = written.map(({ lines, by }): [number, number] => [lines, placeOf(by)])
  return { authors, runs }
}

export const unpackLines = ({ authors, runs }: PackedLines): WrittenLines =>
  runs.map(([lines, place]) => ({ lines, by: authors[place] }))

/** The line of a commit with the authors of its lines; none if the author of the commit wrote all of them. */
export function writtenTrailer(written: WrittenLines, author: Author): string[] {
  const isPlain = written.every(({ by }) => by === undefined || (sameAuthor(by, author) && by.atMs === undefined))
  return isPlain || written.length > MAX_RUNS ? [] : [`${TRAILER}${JSON.stringify(packLines(written))}`]
}

/** The authors of the lines of the commit with this message, if it names them. */
export function writtenIn(message: string): WrittenLines | undefined {
  const line = message.split('\n').find((one) => one.startsWith(TRAILER))
  return line === undefined ? undefined : unpackLines(PackedLines.parse(JSON.parse(line.slice(TRAILER.length))))
}

type Text = { bytes: Buffer | undefined; written?: WrittenLines | undefined }

/** True if the authors of the lines can be given for two changes that become one. */
export const canCompose = (before: Text, after: Text): boolean =>
  (before.written ?? after.written) === undefined ||
  (before.bytes?.length ?? 0) + (after.bytes?.length ?? 0) <= MAX_COMPARED_BYTES

/** The authors of the lines of two consecutive changes that become one. */
export function composeWritten(before: Text, after: Text): WrittenLines | undefined {
  if ((before.written ?? after.written) === undefined) return undefined
  const [old, now] = [before, after].map(({ bytes }) => authoredLines(bytes?.toString() ?? '')) as [string[], string[]]
  const blank = (lines: readonly string[]): WrittenLines => [{ lines: lines.length, by: undefined }]
  const fitting = ({ written }: Text, lines: readonly string[]) =>
    written && countOf(written) === lines.length ? written : blank(lines)
  const carried = carryRuns(fitting(before, old), alignLines(old, now), ({ fromB, toB }) =>
    blank(now.slice(fromB, toB)),
  )
  return overlayRuns(fitting(after, now), carried)
}
