/** How the cells of a column are aligned. */
export type Align = 'none' | 'left' | 'center' | 'right'

/** A cell in the text: `from` and `to` enclose what it says, `start` and `end` everything between its two pipes. */
export type Cell = { from: number; to: number; start: number; end: number; source: string; text: string }

/** A line of a table. `opens` and `closes`: whether it has the outer pipes, which Markdown lets a row leave out. */
export type Row = { from: number; to: number; lineTo: number; cells: Cell[]; opens: boolean; closes: boolean }

/** A table in Markdown. Row 0 is the head; a row may have fewer cells than there are columns. */
export type Table = { rows: Row[]; rule: Row; columns: Align[]; indent: string }

/** Reads a table, with offsets from its beginning; undefined for text that is no table. Takes time linear in its length. */
export function parseTable(text: string): Table | undefined {
  const lines: Row[] = []
  let at = 0
  for (const line of text.split('\n')) {
    lines.push(readRow(line, at))
    at += line.length + 1
  }
  const [head, rule, ...body] = lines
  if (!head || !rule || rule.cells.length !== head.cells.length) return undefined
  if (!rule.cells.every(({ source }) => /^:?-+:?$/.test(source))) return undefined
  if (lines.some(({ from, to }) => from === to)) return undefined
  const indent = /^[ \t]*/.exec(text)![0]
  return { rows: [head, ...body], rule, columns: rule.cells.map(({ source }) => alignOf(source)), indent }
}

/** What a cell says. A missing cell says nothing. */
export const textAt = ({ rows }: Table, { row, column }: { row: number; column: number }): string =>
  rows[row]?.cells[column]?.text ?? ''

/** A text as it stands in a cell: on one line, with its pipes escaped. */
export const cellSource = (text: string): string => trimmed(text.replaceAll(/[\r\n]+/g, ' ')).replaceAll('|', '\\|')

/** Where a place in the text of a cell, as it is edited, stands in the table. */
export function placeInCell({ rows }: Table, { row, column }: { row: number; column: number }, text: string): number {
  const line = rows[row]!
  const cell = line.cells[column]
  if (!cell) return line.to
  return Math.min(cell.from + lengthInSource(text), cell.to)
}

/**
 * The same in a line that is no table any more, in the cell around `at`. A blank that was typed at the end of a cell is none of
 * its words, but one that stands before the pipe.
 */
export function placeInLine(line: string, at: number, text: string): number {
  const cell = readRow(line, 0).cells.find(({ start, end }) => start <= at && at <= end)
  return cell ? Math.min(cell.from + lengthInSource(text), cell.end) : at
}

const lengthInSource = (text: string) => text.replaceAll('|', '\\|').replace(/^[ \t]+/, '').length

function readRow(line: string, offset: number): Row {
  const first = line.length - line.replace(/^[ \t]+/, '').length
  const last = endOf(line, 0)
  const opens = line[first] === '|'
  const cells: Cell[] = []
  let start = opens ? first + 1 : 0
  for (let at = start; at < last; at++) {
    // A backslash before a pipe always makes it text, also behind another backslash.
    if (line[at] !== '|' || line[at - 1] === '\\') continue
    cells.push(cellAt(line, { start, end: at, offset }))
    start = at + 1
  }
  const closes = cells.length > 0 && start >= last
  if (!closes) cells.push(cellAt(line, { start, end: Math.max(start, last), offset }))
  return { from: offset + first, to: offset + last, lineTo: offset + line.length, cells, opens, closes }
}

function cellAt(line: string, { start, end, offset }: { start: number; end: number; offset: number }): Cell {
  let from = start
  while (from < end && isBlank(line[from])) from++
  const to = from === end ? from : start + endOf(line.slice(start, end), from - start)
  const source = line.slice(from, to)
  return {
    from: offset + from,
    to: offset + to,
    start: offset + start,
    end: offset + end,
    source,
    text: source.replaceAll('\\|', '|'),
  }
}

function alignOf(rule: string): Align {
  if (rule.startsWith(':')) return rule.endsWith(':') && rule.length > 1 ? 'center' : 'left'
  return rule.endsWith(':') ? 'right' : 'none'
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t'

/** Where a text ends without the blanks at its end. */
function endOf(text: string, least: number): number {
  let end = text.length
  while (end > least && isBlank(text[end - 1])) end--
  return end
}

const trimmed = (text: string): string => text.slice(0, endOf(text, 0)).replace(/^[ \t]+/, '')
