import { expect, it } from 'vitest'
import { toEditorText } from './editor-text.ts'

it.each([
  ['one\ntwo\n', 'one\ntwo\n'],
  ['\uFEFFone\r\ntwo\r\n', 'one\ntwo\n'],
  ['old\rends\r', 'old\nends\n'],
  ['mixed\r\nends\rof\nlines', 'mixed\nends\nof\nlines'],
  ['', ''],
])('a file with %j is %j in an editor', (file, text) => {
  expect(toEditorText(file)).toBe(text)
})
