import type { Author, LineRun } from '../api/daemon-client.ts'

/** A stretch of lines that one author wrote at one time; `last` is its last line. */
export type Band = { line: number; last: number; author: Author; at: string }

type Wanted = { since: string | undefined; isBlank: (line: number) => boolean }

/** Joins the runs that belong to one author and one change. Blank lines show nothing and part nothing. Pure. */
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

/** A block of the rendered note: the line that it begins at, and where it stands. */
export type Block = { line: number; top: number; bottom: number }

/** Where a band stands beside the blocks that its lines are in; undefined where the note shows none of them. Pure. */
export function placeOfBand({ line, last }: Pick<Band, 'line' | 'last'>, blocks: readonly Block[]) {
  const isTouched = (block: Block, at: number) => block.line <= last && (blocks[at + 1]?.line ?? Infinity) > line
  const touched = blocks.filter(isTouched)
  if (touched.length === 0) return undefined
  return { top: touched[0]!.top, bottom: Math.max(...touched.map(({ bottom }) => bottom)) }
}

/** Where the words of each band begin, so that none lies over another: beside its band, or below the words before it. Pure. */
export function stackWords(wanted: readonly { top: number; height: number }[], from: number): number[] {
  let free = from
  return wanted.map(({ top, height }) => {
    const at = Math.max(top, free)
    free = at + height
    return at
  })
}
