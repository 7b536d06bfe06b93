import { markdown, markdownLanguage } from '@codemirror/lang-markdown'
import { syntaxTree } from '@codemirror/language'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import { Decoration } from '@codemirror/view'
import { afterEach, expect, test, vi } from 'vitest'
import { awaitedBlocks, untilBlankLine } from './awaited-blocks.ts'
import { revealing } from './revealed.ts'

afterEach(() => vi.restoreAllMocks())

const TABLE = '| a | b |\n| - | - |\n| 1 | 2 |'
const NOTE = `First\n\nSecond\n\n${TABLE}\n\nBelow\n`
const AT = NOTE.indexOf(TABLE)
const drawn = Decoration.set(Decoration.replace({ block: true }).range(AT, AT + TABLE.length))
const asDrawn = (_state: EditorState, block: { from: number; to: number; drawn: Decoration }) =>
  block.drawn.range(block.from, block.to)

function awaitedAfter(spec: TransactionSpec, time: 'none' | 'enough' = 'none') {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(0)
  const before = EditorState.create({ doc: NOTE, extensions: [markdown({ base: markdownLanguage }), revealing] })
  expect(syntaxTree(before).length).toBe(NOTE.length)
  let now = 0
  // The parser stops after one block, as on a busy machine.
  if (time === 'none') clock.mockImplementation(() => (now += 1000))
  const { state, changes } = before.update(spec)
  const window = { from: 0, to: state.doc.length }
  const blocks = awaitedBlocks(state, { drawn: drawn.map(changes), window, again: asDrawn })
  return { blocks: blocks.map(({ from, to }) => state.sliceDoc(from, to)), known: syntaxTree(state).length }
}

const above = { changes: { from: 2, insert: 'x' } }

test('a block that the parser did not reach again stays', () => {
  const { blocks, known } = awaitedAfter(above)
  expect(known).toBeLessThan(AT)
  expect(blocks).toEqual([TABLE])
})

test('what is written at its end belongs to it until the parser has read that', () => {
  const { blocks } = awaitedAfter({ changes: [above.changes, { from: AT + TABLE.length, insert: '\n| 3 | 4 |' }] })
  expect(blocks).toEqual([`${TABLE}\n| 3 | 4 |`])
})

test('a block that the cursor is in shows its Markdown', () => {
  expect(awaitedAfter({ ...above, selection: { anchor: AT + 5 } }).blocks).toEqual([])
})

test('a deleted block goes', () => {
  expect(awaitedAfter({ changes: [above.changes, { from: AT, to: AT + TABLE.length }] }).blocks).toEqual([])
})

test('once the parser has read the text, it alone says what is a block', () => {
  expect(awaitedAfter(above, 'enough')).toEqual({ blocks: [], known: NOTE.length + 1 })
})

test.each([
  [TABLE, TABLE],
  [`${TABLE}\n`, TABLE],
  [`${TABLE}\n \t\nmore`, TABLE],
  ['\n\n', ''],
])('a table ends at a blank line: %j', (text, table) => expect(untilBlankLine(text)).toBe(table))
