import { describe, expect, test } from 'vitest'
import { parseTable, placeInCell, placeInLine } from './table-model.ts'

describe('a place in the text of a cell', () => {
  const line = '| one | two \\| more  |  |'
  const table = parseTable(`| a | b | c |\n| - | - | - |\n${line}`)!
  const start = table.rows[1]!.from

  test.each([
    [0, '', '| '],
    [0, 'on', '| on'],
    [1, 'two', '| one | two'],
    [1, 'two |', '| one | two \\|'],
    [1, 'two | more', '| one | two \\| more'],
  ])('of column %i behind %j is found in the table and in its line', (column, text, before) => {
    expect(placeInCell(table, { row: 1, column }, text) - start).toBe(before.length)
    const { start: from, end } = table.rows[1]!.cells[column]!
    for (const at of [from, end]) expect(placeInLine(line, at - start, text)).toBe(before.length)
  })

  test('behind a blank at its end stands before the blanks of the line, and never behind the pipe', () => {
    expect(placeInLine(line, 8, 'two | more ')).toBe('| one | two \\| more '.length)
    expect(placeInLine(line, 8, 'two | more and more')).toBe('| one | two \\| more  '.length)
  })

  test('stays where it is in a line without cells there', () => {
    expect(placeInLine('', 0, 'text')).toBe(0)
    expect(placeInLine('| a |', 0, 'text')).toBe(0)
  })
})
