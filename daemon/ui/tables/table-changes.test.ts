import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import {
  addColumn,
  addRow,
  alignColumn,
  moveColumn,
  moveRow,
  removeColumn,
  removeRow,
  setCell,
  type Change,
} from './table-changes.ts'
import { parseTable, textAt, type Table } from './table-model.ts'

const applied = (text: string, changes: readonly Change[]): string =>
  changes
    .map((change, nth) => ({ ...change, nth }))
    .toSorted((one, other) => other.from - one.from || other.nth - one.nth)
    .reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text)

const gridOf = (table: Table): string[][] =>
  table.rows.map((_, row) => table.columns.map((_, column) => textAt(table, { row, column })))

const read = (text: string) => {
  const table = parseTable(text)
  if (!table) throw new Error(`no table: ${text}`)
  return table
}

const PLAIN = '| Name | Count |\n| :--- | ----: |\n| one  |     1 |\n| two  |     2 |'

describe('a change of a table', () => {
  const cases: [string, (table: Table) => Change[], string][] = [
    [
      'writes one cell and leaves the rest',
      (table) => setCell(table, { row: 1, column: 0 }, 'once'),
      PLAIN.replace('one ', 'once '),
    ],
    ['escapes pipes', (table) => setCell(table, { row: 2, column: 1 }, 'a|b'), PLAIN.replace('2 |', 'a\\|b |')],
    ['adds a row', (table) => addRow(table, 2), PLAIN.replace('\n| two', '\n|  |  |\n| two')],
    ['adds the first row', (table) => addRow(table, 1), PLAIN.replace('\n| one', '\n|  |  |\n| one')],
    ['takes a row away', (table) => removeRow(table, 1), PLAIN.replace('\n| one  |     1 |', '')],
    ['keeps the head', (table) => removeRow(table, 0), PLAIN],
    [
      'moves a row down',
      (table) => moveRow(table, { row: 1, by: 1 }, PLAIN),
      '| Name | Count |\n| :--- | ----: |\n| two  |     2 |\n| one  |     1 |',
    ],
    [
      'moves a row up',
      (table) => moveRow(table, { row: 2, by: -1 }, PLAIN),
      '| Name | Count |\n| :--- | ----: |\n| two  |     2 |\n| one  |     1 |',
    ],
    [
      'adds a column between',
      (table) => addColumn(table, 1),
      '| Name |  | Count |\n| :--- | --- | ----: |\n| one  |  |     1 |\n| two  |  |     2 |',
    ],
    [
      'adds a column at the end',
      (table) => addColumn(table, 2),
      '| Name | Count |  |\n| :--- | ----: | --- |\n| one  |     1 |  |\n| two  |     2 |  |',
    ],
    ['takes a column away', (table) => removeColumn(table, 0), '| Count |\n| ----: |\n|     1 |\n|     2 |'],
    [
      'moves a column with its alignment',
      (table) => moveColumn(table, { column: 0, by: 1 }, PLAIN),
      '| Count | Name |\n| ----: | :--- |\n|     1 | one  |\n|     2 | two  |',
    ],
    ['aligns a column', (table) => alignColumn(table, 1, 'center'), PLAIN.replace('----:', ':---:')],
  ]
  test.each(cases)('%s', (_name, change, expected) => {
    verifies('ui.tables')
    expect(applied(PLAIN, change(read(PLAIN)))).toBe(expected)
  })

  test('writes rows without outer pipes with them, when a cell of the row changes', () => {
    const text = 'a | b\n- | -\nc | d\ne'
    const table = read(text)
    expect(applied(text, setCell(table, { row: 1, column: 0 }, ''))).toBe('a | b\n- | -\n|  | d |\ne')
    expect(applied(text, setCell(table, { row: 2, column: 1 }, 'f'))).toBe('a | b\n- | -\nc | d\n| e | f |')
  })

  test('is none where the text is no table', () => {
    for (const text of ['', 'a', 'a | b', 'a | b\n- | - | -', 'a | b\n- | x', '| a |\n| - |\n\n'])
      expect(parseTable(text)).toBeUndefined()
  })
})

const PIECES = ['a', 'é', '😀', ' ', '|', '\\', '*', '`', '-', '\\\\', '>', '#', '&', '漢', '  ', '<br>']
const content = fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((pieces) => pieces.join('').trim())
const escaped = (text: string) => text.replaceAll('|', '\\|')
const blank = fc.constantFrom('', ' ', '   ', '\t')

/** A row as people write them: with or without outer pipes, with any blanks, and possibly with missing cells. */
const row = (columns: number, least: number) =>
  fc
    .tuple(
      fc.array(fc.tuple(blank, content, blank), { minLength: least, maxLength: columns }),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([cells, opens, closes]) => {
      // Without outer pipes, an empty cell or a blank line would have another meaning.
      const isBare = cells.every(([, text]) => /^[aé漢]/.test(text)) && cells.length > 1
      const inner = cells.map(
        ([before, text, after]) => `${before}${escaped(text)}${text.endsWith('\\') ? ' ' : after}`,
      )
      return `${opens || !isBare ? '|' : ''}${inner.join('|')}${closes || !isBare ? '|' : ''}`.trim()
    })

const tables = fc
  .integer({ min: 1, max: 4 })
  .chain((columns) =>
    fc.tuple(
      row(columns, columns),
      fc
        .array(fc.constantFrom('---', ':--', '--:', ':-:', '-', ' --- '), { minLength: columns, maxLength: columns })
        .map((cells) => `|${cells.join('|')}|`),
      fc.array(row(columns, 1), { maxLength: 4 }),
    ),
  )
  .map(([head, rule, body]) => [head, rule, ...body].join('\n'))
  .filter((text) => parseTable(text) !== undefined)

/** The cells as the reading view renders them: the renderer decides what a table is. */
const rendered = (text: string): string[][] => {
  const grid: string[][] = []
  const tokens = new MarkdownIt().parse(text, {})
  tokens.forEach((token, at) => {
    if (token.type === 'tr_open') grid.push([])
    if (token.type === 'th_open' || token.type === 'td_open') grid.at(-1)!.push(tokens[at + 1]!.content)
  })
  return grid
}

const act = fc.record({
  kind: fc.constantFrom('set', 'addRow', 'removeRow', 'moveRow', 'addColumn', 'removeColumn', 'moveColumn', 'align'),
  row: fc.nat(5),
  column: fc.nat(4),
  by: fc.constantFrom(-1 as const, 1 as const),
  text: content,
  align: fc.constantFrom('none' as const, 'left' as const, 'center' as const, 'right' as const),
})
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

/** The expected cells after an action, computed on a plain array of arrays. */
function expected(grid: string[][], { kind, row, column, by, text }: Act): string[][] {
  const next = grid.map((cells) => [...cells])
  const width = grid[0]!.length
  const swap = <T>(list: T[], one: number, other: number) => ([list[one], list[other]] = [list[other]!, list[one]!])
  if (kind === 'set' && next[row] && column < width) next[row]![column] = text
  if (kind === 'addRow' && row >= 1 && row <= grid.length) next.splice(row, 0, Array<string>(width).fill(''))
  if (kind === 'removeRow' && row >= 1 && row < grid.length) next.splice(row, 1)
  if (kind === 'moveRow' && row >= 1 && row < grid.length && next[row + by] && row + by >= 1) swap(next, row, row + by)
  if (kind === 'addColumn' && column <= width) for (const cells of next) cells.splice(column, 0, '')
  if (kind === 'removeColumn' && width > 1 && column < width) for (const cells of next) cells.splice(column, 1)
  if (kind === 'moveColumn' && column < width && column + by >= 0 && column + by < width)
    for (const cells of next) swap(cells, column, column + by)
  return next
}

function changesOf(table: Table, { kind, row, column, by, text, align }: Act, source: string): Change[] {
  const width = table.columns.length
  switch (kind) {
    case 'set':
      return column < width ? setCell(table, { row, column }, text) : []
    case 'addRow':
      return row >= 1 && row <= table.rows.length ? addRow(table, row) : []
    case 'removeRow':
      return removeRow(table, row)
    case 'moveRow':
      return moveRow(table, { row, by }, source)
    case 'addColumn':
      return column <= width ? addColumn(table, column) : []
    case 'removeColumn':
      return column < width ? removeColumn(table, column) : []
    case 'moveColumn':
      return column < width ? moveColumn(table, { column, by }, source) : []
    default:
      return alignColumn(table, column, align)
  }
}

test('random acts on random tables do to the cells what they say, and leave the other rows byte for byte', () => {
  verifies('ui.tables')
  fc.assert(
    fc.property(tables, fc.array(act, { minLength: 1, maxLength: 6 }), (start, acts) => {
      let text = start
      for (const one of acts) {
        const before = read(text)
        const next = applied(text, changesOf(before, one, text))
        expect(gridOf(read(next))).toEqual(expected(gridOf(before), one))
        if (one.kind === 'set' || one.kind.endsWith('Row')) {
          const others = text.split('\n').filter((_, line) => line !== (one.row === 0 ? 0 : one.row + 1))
          for (const line of others) expect(next.split('\n')).toContain(line)
        }
        text = next
      }
    }),
    { numRuns: 300 },
  )
})

test('the cells are those that the reading view shows', () => {
  verifies('ui.tables')
  fc.assert(
    fc.property(tables, (text) => {
      const shown = rendered(text)
      fc.pre(shown.length > 0 && shown.length === text.split('\n').length - 1)
      expect(gridOf(read(text))).toEqual(shown)
    }),
    { numRuns: 300 },
  )
})
