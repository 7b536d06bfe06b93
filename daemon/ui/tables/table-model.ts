/** How the cells of a column are aligned. */
export type Align = 'none' | 'left' | 'center' | 'right'

/** A cell of a table. `from` and `to` enclose its text, `start` and `end` everything between its two pipes. */
export type Cell = { from: number; to: number; start: number; end: number; source: string; text: string }

/** A line of a table. `opens` and `closes` tell whether it has the outer pipes, which Markdown lets a row omit. */
export type Row = { from: number; to: number; lineTo: number; cells: Cell[]; opens: boolean; closes: boolean }

/** A table in Markdown. Row 0 is the head; a row may have fewer cells than there are columns. */
export type Table = { rows: Row[]; rule: Row; columns: Align[]; indent: string }

/** Parses a table. Offsets count from its beginning. Undefined for text that is not a table. Takes linear time. */
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

/** The text of a cell; empty for a missing cell. */
export const textAt = ({ rows }: Table, { row, column }: { row: number; column: number }): string =>
  rows[row]?.cells[column]?.text ?? ''

/** The source of a cell with this text: on one line, with its pipes escaped. */
export const cellSource = (text: string): string => trimmed(text.replaceAll(/[\r\n]+/g, ' ')).replaceAll('|', '\\|')

/** The position in the table that follows `text`, the beginning of the edited text of a cell. */
export function placeInCell({ rows }: Table, { row, column }: { row: number; column: number }, text: string): number {
  const line = rows[row]!
  const cell = line.cells[column]
  if (!cell) return line.to
  return Math.min(cell.from + lengthInSource(text), cell.to)
}

/**
 * Like `placeInCell`, for a line that is not part of a table any more, in the cell around `at`. Trailing blanks count
 * here: they are in the source before the pipe, although they do not belong to the text of the cell.
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
    // A pipe after a backslash is always text, even if the backslash is itself escaped.
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

/** The length of a text without its trailing blanks, but at least `least`. */
function endOf(text: string, least: number): number {
  let end = text.length
  while (end > least && isBlank(text[end - 1])) end--
  return end
}

const trimmed = (text: string): string => text.slice(0, endOf(text, 0)).replace(/^[ \t]+/, '')
