import { lineMarks, SEPARATOR, type LineLink, type LineReader } from './line-marks.ts'

export type Range = readonly [start: number, end: number]
/** A line as a reader sees it. `links` have the positions of their words. */
export type PlainLine = { text: string; highlights: Range[]; links: LineLink[] }

const QUOTE = /[ \t]*>[ \t]?/y
const CALLOUT = /\[!([^\]\s]{1,40})\][+-]?[ \t]*/y
const BULLET = /[ \t]*[-*+][ \t]+/y
const NUMBER = /[ \t]*\d{1,9}[.)][ \t]+/y
const TASK = /\[.\][ \t]+/y
const HEADING = /[ \t]*#{1,6}[ \t]+/y
const HEADING_END = /[ \t]#+$/
const BLOCK_NAME = /[ \t]\^[\w-]+$/
const BLANKS = /[ \t]+/y
const BLANK = /\s/

/**
 * The words of one line of a note, without Markdown marks. `highlights` are ranges of the line, in order; text in them
 * is always kept. Pure, and linear in the length of the line.
 */
export function plainLine(line: string, highlights: readonly Range[] = []): PlainLine {
  const hits = new Uint8Array(line.length)
  for (const [start, end] of highlights) hits.fill(1, start, end)
  const hidden = new Uint8Array(line.length)
  const instead = new Map<number, string>()
  const links: LineLink[] = []
  const tell: LineReader = {
    hide: (start, end, word = '') => {
      hidden.fill(1, start, end)
      if (word !== '') instead.set(start, word)
    },
    link: (link) => links.push(link),
    holdsHit: (start, end) => hits.subarray(start, end).includes(1),
  }

  const read = lineMarks(line, tell)
  const { from, to } = withoutBlockMarks(line, tell)
  const stretches = line[from] === '|' ? cells(line, { from, to }, tell) : [[from, to] as const]
  for (const [start, end] of stretches) read(start, end)
  // A highlight that covers nothing but marks stays visible.
  for (const [start, end] of highlights) if (!hidden.subarray(start, end).includes(0)) hidden.fill(0, start, end)

  const pieces: string[] = []
  const offsets = new Uint32Array(line.length + 1)
  let length = 0
  for (let at = 0; at < line.length; at++) {
    offsets[at] = length
    const piece = hidden[at] === 0 ? line[at]! : instead.get(at)
    if (piece === undefined) continue
    pieces.push(piece)
    length += piece.length
  }
  offsets[line.length] = length
  const moved = (at: number) => offsets[at]!
  return {
    text: pieces.join(''),
    highlights: highlights.map(([start, end]) => [moved(start), moved(end)]),
    links: links.map((link) => ({ ...link, start: moved(link.start), end: moved(link.end) })),
  }
}

const TITLE_MARK = /[*_`~=[\]<\\]/

/** A title without Markdown marks. Most titles have none and need no parsing. Pure. */
export function plainTitle(title: string): string {
  return TITLE_MARK.test(title) ? plainLine(title).text : title
}

/** Hides the marks that make a line a quote, an item, a task or a heading, and returns the range of its words. */
function withoutBlockMarks(line: string, { hide, holdsHit }: LineReader) {
  let from = 0
  const found = (mark: RegExp): RegExpExecArray | null => {
    mark.lastIndex = from
    return mark.exec(line)
  }
  const pass = (mark: RegExp): boolean => {
    const length = found(mark)?.[0].length ?? 0
    hide(from, from + length)
    from += length
    return length > 0
  }

  let isQuote = false
  while (pass(QUOTE)) isQuote = true
  const callout = isQuote ? found(CALLOUT) : null
  if (callout) {
    const end = from + callout[0].length
    const kindEnd = from + 2 + callout[1]!.length
    // The kind of a callout is its title if it has none, so it stays visible.
    const isTitled = line.slice(end).trim() !== ''
    if (isTitled && !holdsHit(from, end)) hide(from, end)
    else {
      hide(from, from + 2)
      hide(kindEnd, end, isTitled ? ' ' : '')
    }
    from = end
  }
  const isBullet = pass(BULLET)
  const number = isBullet ? null : found(NUMBER)
  from += number?.[0].length ?? 0
  const task = isBullet || number ? found(TASK) : null
  if (task && !holdsHit(from, from + task[0].length)) pass(TASK)
  const isHeading = pass(HEADING)
  pass(BLANKS)

  let to = Math.max(from, line.trimEnd().length)
  const end = line.slice(Math.max(from, to - LONGEST_END), to)
  const extra = (isHeading ? HEADING_END : BLOCK_NAME).exec(end)?.[0].length ?? 0
  if (!holdsHit(to - extra, to)) to -= extra
  hide(to, line.length)
  return { from, to }
}

/** A longer block name, or longer closing marks of a heading, stays visible. */
const LONGEST_END = 80

/** The cells of a row, between bars that are not escaped. Bars between cells become separators. */
function cells(line: string, { from, to }: { from: number; to: number }, { hide }: LineReader): Range[] {
  const found: Range[] = []
  let start = from
  for (let at = from; at <= to; at++) {
    if (at < to && (line[at] !== '|' || line[at - 1] === '\\')) continue
    let first = start
    let last = at
    while (first < last && BLANK.test(line[first]!)) first++
    while (last > first && BLANK.test(line[last - 1]!)) last--
    hide(start, first)
    hide(last, Math.min(at + 1, to))
    if (last > first) {
      if (found.length > 0) hide(first - 1, first, SEPARATOR)
      found.push([first, last])
    }
    start = at + 1
  }
  return found
}
