import { expect, test } from 'vitest'
import { STALL_MS } from '../../../../test/support/fuzz.ts'
import { longestTurnMs } from '../../../../test/support/longest-turn.ts'
import { slowness } from '../../../../test/support/machine-speed.ts'
import { toEditorText } from '../../edits/editor-text.ts'
import { stringOf } from '../../edits/whole-text.ts'
import { textInTurns } from './text-in-turns.ts'

test.each([
  ['nothing', ''],
  ['a line', 'one'],
  ['a byte order mark', '\uFEFFone\r\ntwo'],
  ['lines', 'one\ntwo\n'.repeat(20_000)],
  ['lines of Windows', 'one\r\ntwo\r\n'.repeat(20_000)],
  ['old Mac lines', 'one\rtwo\r'.repeat(20_000)],
  ['mixed line ends', '\n\r\n\r'.repeat(40_000)],
  ['byte order marks in between', '\uFEFF\n'.repeat(80_000)],
  ['a long line', `${'x'.repeat(300_000)}\n`],
])('has the text of a file of %s', async (_, file) => {
  const text = await textInTurns(file)
  const expected = toEditorText(file)
  expect(text.toString() === expected).toBe(true)
  expect(stringOf(text) === expected).toBe(true)
  expect(text.lines).toBe(expected.split('\n').length)
})

test('a file of millions of line ends is read in short turns', { timeout: 60_000 }, async () => {
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && longest >= STALL_MS; attempt++)
    longest = Math.min(longest, (await longestTurnMs(() => textInTurns('\n'.repeat(3_000_000)))) / slowness())
  expect(longest).toBeLessThan(STALL_MS)
})
