import { ChangeSet } from '@codemirror/state'
import { expect, it } from 'vitest'
import { toEditorText } from '../edits/editor-text.ts'
import { toFileText } from '../edits/file-text.ts'
import { toText } from '../edits/to-text.ts'
import { fileBytes, formOf, sizeAfter, sizeOf } from './text-size.ts'

const bytesOf = (file: string) => fileBytes(sizeOf(toText(toEditorText(file))), formOf(file))

it.each([
  ['nothing', ''],
  ['line feeds', 'ä\n\nb\n'],
  ['carriage returns and line feeds', 'a\r\nb\r\n'],
  ['carriage returns', 'a\rb\r'],
  ['a byte order mark', '\uFEFFa\r\nb'],
  ['characters of two units', '😀\n😀'],
])('knows the bytes of a file with %s', (_what, file) => {
  expect(bytesOf(file)).toBe(Buffer.byteLength(file))
})

it('takes every line end of a file that mixes them for the longer one', () => {
  expect(bytesOf('a\nb\r\nc')).toBe('a\r\nb\r\nc'.length)
})

it('follows changes without reading the rest', () => {
  const before = toText('one\ntwo ü\n\nfour')
  const changes = ChangeSet.of(
    [
      { from: 1, to: 5, insert: 'ß\n\n😀' },
      { from: 9, to: 11 },
      { from: 15, insert: '\n' },
    ],
    before.length,
    '\n',
  )
  const after = changes.apply(before)
  expect(sizeAfter(sizeOf(before), before, changes)).toEqual(sizeOf(after))
  const file = toFileText('one\r\ntwo', after.toString())
  expect(fileBytes(sizeOf(after), formOf('one\r\ntwo'))).toBe(Buffer.byteLength(file))
})
