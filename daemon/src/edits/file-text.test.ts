import { array, assert, constantFrom, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toEditorText } from './editor-text.ts'
import { toFileText } from './file-text.ts'

describe('line endings', () => {
  it.each([
    ['an LF note', 'a\nb\n', 'a\nB\n', 'a\nB\n'],
    ['a CRLF note', 'a\r\nb\r\n', 'a\nB\nc\n', 'a\r\nB\r\nc\r\n'],
    ['a note of old Mac lines', 'a\rb\r', 'a\nB\n', 'a\rB\r'],
    ['a byte order mark', '\uFEFFa\r\nb', 'a\nB', '\uFEFFa\r\nB'],
    ['no final newline', 'a\r\nb', 'a\nb!', 'a\r\nb!'],
    ['an edited line of a mixed note', 'a\nb\r\nc\n', 'a\nB\nc\n', 'a\nB\r\nc\n'],
    ['a line put into a mixed note', 'a\r\nb\nc\n', 'a\nnew\nb\nc\n', 'a\r\nnew\r\nb\nc\n'],
    ['a line taken from a mixed note', 'a\nb\r\nc\n', 'a\nc\n', 'a\nc\n'],
    ['a line added after the last of a mixed note', 'a\nb\r\nc', 'a\nb\nc\nd', 'a\nb\r\nc\r\nd'],
    ['a note of one line', 'a', 'a\nb', 'a\nb'],
  ])('keeps %s', (_, original, edited, file) => expect(toFileText(original, edited)).toBe(file))

  const file = array(tuple(constantFrom('', 'a', 'b', '  c '), constantFrom('\n', '\r\n', '\r')), {
    maxLength: 12,
  }).chain((lines) => constantFrom('', '\uFEFF').map((bom) => bom + lines.flat().join('')))

  it('gives back every byte of a note that was not edited', () => {
    assert(property(file, (original) => toFileText(original, toEditorText(original)) === original))
  })

  it('never changes what the person wrote', () => {
    const edit = array(constantFrom('', 'a', 'b', 'new'), { minLength: 1, maxLength: 12 })
    assert(
      property(file, edit, (original, lines) => {
        const edited = lines.join('\n')
        return toEditorText(toFileText(original, edited)) === edited
      }),
    )
  })
})
