import { cellSource, type Align, type Row, type Table } from './table-model.ts'

/** A replacement in the text of a table; offsets are those of the text before all changes. */
export type Change = { from: number; to: number; insert: string }

type Place = { row: number; column: number }

/** Writes the text of a cell. Replaces only the characters that differ, and adds missing outer pipes. Pure. */
export function setCell({ rows }: Table, { row, column }: Place, text: string): Change[] {
  const line = rows[row]
  if (!line) return []
  const source = cellSource(text)
  const cell = line.cells[column]
  if (!cell) return source === '' ? [] : [...outerPipes(line), atEnd(line, appended(line, column, source))]
  if (cell.source === source) return []
  if (cell.source === '')
    return inOrder([...outerPipes(line), { from: cell.start, to: cell.end, insert: ` ${source} ` }])
  // Without a blank after it, a backslash at the end of the text would escape the pipe.
  const needsBlank = source.endsWith('\\') && cell.to === cell.end
  const change = needsBlank ? { from: cell.from, to: cell.to, insert: `${source} ` } : difference(cell, source)
  return inOrder([...outerPipes(line), change])
}

/** Inserts an empty row at this index, below the head. */
export function addRow({ rows, rule, columns, indent }: Table, at: number): Change[] {
  const above = at <= 1 ? rule : rows[at - 1]
  if (!above) return []
  return [inserted(above.lineTo, `\n${indent}|${'  |'.repeat(columns.length)}`)]
}

/** Removes a row. The head cannot be removed. */
export function removeRow({ rows, rule }: Table, row: number): Change[] {
  const line = rows[row]
  if (row < 1 || !line) return []
  return [{ from: (row === 1 ? rule : rows[row - 1]!).lineTo, to: line.lineTo, insert: '' }]
}

/** Moves a row below the head up or down by one line. */
export function moveRow({ rows, rule }: Table, { row, by }: { row: number; by: -1 | 1 }, text: string): Change[] {
  const line = rows[row]
  const other = rows[row + by]
  if (row < 1 || row + by < 1 || !line || !other) return []
  const lineEnds = [rule, ...rows.slice(1)].map(({ lineTo }) => lineTo)
  const before = lineEnds[row - 1]!
  const target = by === 1 ? lineEnds[row + 1]! : lineEnds[row - 2]!
  return inOrder([{ from: before, to: line.lineTo, insert: '' }, inserted(target, text.slice(before, line.lineTo))])
}

/** Inserts an empty column at this index. */
export function addColumn({ rows, rule }: Table, at: number): Change[] {
  const into = (line: Row, content: string): Change[] => {
    const cell = line.cells[at]
    if (cell) {
      if (!line.opens && at === 0) return [inserted(line.from, `|${content}| `), ...closing(line)]
      return inOrder([...outerPipes(line), inserted(cell.start, `${content}|`)])
    }
    // The row is too short to have a cell there.
    if (line.cells.length < at) return []
    return [...outerPipes(line), atEnd(line, `${content}|`)]
  }
  return [into(rows[0]!, '  '), into(rule, ' --- '), ...rows.slice(1).map((line) => into(line, '  '))].flat()
}

/** Removes a column. The only column cannot be removed. */
export function removeColumn({ rows, rule, columns }: Table, column: number): Change[] {
  if (columns.length < 2) return []
  return [rows[0]!, rule, ...rows.slice(1)].flatMap((line) => {
    const cell = line.cells[column]
    if (!cell) return []
    const isOpenEnd = column === line.cells.length - 1 && !line.closes
    // A row with only this cell keeps it, empty: a blank line would end the table.
    if (line.cells.length === 1) return [...outerPipes(line), { from: cell.start, to: cell.end, insert: ' ' }]
    return inOrder([
      ...outerPipes(line),
      isOpenEnd
        ? { from: cell.start - 1, to: cell.end, insert: '' }
        : { from: cell.start, to: cell.end + 1, insert: '' },
    ])
  })
}

/** Exchanges a column with the one beside it. */
export function moveColumn(table: Table, { column, by }: { column: number; by: -1 | 1 }, text: string): Change[] {
  const left = Math.min(column, column + by)
  if (left < 0 || left + 1 >= table.columns.length) return []
  return [table.rows[0]!, table.rule, ...table.rows.slice(1)].flatMap((line) => {
    const [one, other] = [line.cells[left], line.cells[left + 1]]
    if (!one) return []
    if (!other) {
      if (one.source === '') return []
      const moved = { from: one.start, to: one.end, insert: '  ' }
      return inOrder([...outerPipes(line), moved, atEnd(line, ` ${one.source} |`)])
    }
    const between = (cell: typeof one) => {
      const inside = text.slice(cell.start, cell.end)
      return inside.endsWith('\\') ? `${inside} ` : inside
    }
    return inOrder([
      ...outerPipes(line),
      { from: one.start, to: one.end, insert: between(other) },
      { from: other.start, to: other.end, insert: between(one) },
    ])
  })
}

/** Aligns a column. Its cell in the line of dashes keeps its width. */
export function alignColumn({ rule }: Table, column: number, align: Align): Change[] {
  const cell = rule.cells[column]
  if (!cell) return []
  const width = Math.max(cell.source.length, 3)
  const insert = {
    none: '-'.repeat(width),
    left: `:${'-'.repeat(width - 1)}`,
    right: `${'-'.repeat(width - 1)}:`,
    center: `:${'-'.repeat(width - 2)}:`,
  }[align]
  return insert === cell.source ? [] : [{ from: cell.from, to: cell.to, insert }]
}

const inserted = (at: number, insert: string): Change => ({ from: at, to: at, insert })
const atEnd = (line: Row, insert: string): Change => inserted(line.to, insert)

/** The source of the missing cells up to a column, and of the column's own cell. */
const appended = (line: Row, column: number, source: string): string =>
  `${'  |'.repeat(column - line.cells.length)} ${source} |`

/** Adds the missing outer pipes of a row. Without them, a cell could not be empty or begin like a list. */
const outerPipes = (line: Row): Change[] => [...(line.opens ? [] : [inserted(line.from, '| ')]), ...closing(line)]
const closing = (line: Row): Change[] => (line.closes ? [] : [inserted(line.to, ' |')])

/** The shortest replacement that turns one text into another. Never splits a surrogate pair. */
function difference({ from, source }: { from: number; source: string }, next: string): Change {
  let start = 0
  while (start < source.length && start < next.length && source[start] === next[start]) start++
  if (isHigh(source.charCodeAt(start - 1))) start--
  let end = 0
  const most = Math.min(source.length, next.length) - start
  while (end < most && source.at(-1 - end) === next.at(-1 - end)) end++
  if (end > 0 && isLow(source.charCodeAt(source.length - end))) end--
  return { from: from + start, to: from + source.length - end, insert: next.slice(start, next.length - end) }
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000

/** Sorts changes by position. Insertions at the same position keep their order. */
const inOrder = (changes: Change[]): Change[] =>
  changes.toSorted((one, other) => one.from - other.from || one.to - other.to)
