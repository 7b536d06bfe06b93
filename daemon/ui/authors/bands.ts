import type { Author, LineRun } from '../api/daemon-client.ts'

/** A stretch of lines that one author wrote at one time; `last` is its last line. */
export type Band = { line: number; last: number; author: Author; at: string }

type Wanted = { since: string | undefined; isBlank: (line: number) => boolean }

/** Joins the runs of one author and one change. Blank lines neither show nor split a band. Pure. */
export function bandsOf(runs: readonly LineRun[], { since, isBlank }: Wanted): Band[] {
  const bands: Band[] = []
  for (const { line: start, lines, author, at } of runs) {
    let [line, last] = [start, start + lines - 1]
    while (line <= last && isBlank(line)) line++
    while (last > line && isBlank(last)) last--
    if (line > last) continue
    if (author === undefined || at === undefined || (since !== undefined && at <= since)) continue
    const before = bands.at(-1)
    const isNext = before !== undefined && allBlank(before.last + 1, line, isBlank)
    if (isNext && before.at === at && sameAuthor(before.author, author)) before.last = last
    else bands.push({ line, last, author, at })
  }
  return bands
}

function allBlank(from: number, to: number, isBlank: Wanted['isBlank']): boolean {
  for (let line = from; line < to; line++) if (!isBlank(line)) return false
  return true
}

const sameAuthor = (one: Author, other: Author) =>
  one.kind === other.kind && one.id === other.id && one.name === other.name && one.person?.id === other.person?.id

/** A block of the rendered note: its first line and its position. */
export type Block = { line: number; top: number; bottom: number }

/** The position of a band beside the blocks of its lines; undefined if none of them is rendered. Pure. */
export function placeOfBand({ line, last }: Pick<Band, 'line' | 'last'>, blocks: readonly Block[]) {
  const isTouched = (block: Block, at: number) => block.line <= last && (blocks[at + 1]?.line ?? Infinity) > line
  const touched = blocks.filter(isTouched)
  if (touched.length === 0) return undefined
  return { top: touched[0]!.top, bottom: Math.max(...touched.map(({ bottom }) => bottom)) }
}

/** The position of the label of each band, without overlaps: beside its band, or below the label before it. Pure. */
export function stackWords(wanted: readonly { top: number; height: number }[], from: number): number[] {
  let free = from
  return wanted.map(({ top, height }) => {
    const at = Math.max(top, free)
    free = at + height
    return at
  })
}
