import { ChangeSet } from '@codemirror/state'
import { array, assert, constantFrom, nat, property, tuple } from 'fast-check'
import { expect, it, test } from 'vitest'
import { textChanges } from '../../edits/text-changes.ts'
import { toEditorText } from '../../edits/editor-text.ts'
import { toFileText } from '../../edits/file-text.ts'
import { toText } from '../../edits/to-text.ts'
import { changedFile, fileTextAfter } from './changed-file.ts'

const changesTo = (file: string, edited: string) => {
  const before = toEditorText(file)
  return ChangeSet.of(textChanges(before, edited), before.length, '\n')
}

it.each([
  ['an edited line', 'a\nb\r\nc\n', 'a\nB\nc\n', 'a\nB\r\nc\n'],
  ['a line put in', 'a\r\nb\nc\n', 'a\nnew\nb\nc\n', 'a\r\nnew\r\nb\nc\n'],
  ['a line put in first', 'a\nb\r\nc\n', 'new\na\nb\nc\n', 'new\na\nb\r\nc\n'],
  ['a line taken away', 'a\nb\r\nc\n', 'a\nc\n', 'a\nc\n'],
  ['a line added after the last', 'a\nb\r\nc', 'a\nb\nc\nd', 'a\nb\r\nc\r\nd'],
  ['a line that is parted', 'a\nbb\r\nc\n', 'a\nb\nb\nc\n', 'a\nb\r\nb\r\nc\n'],
  ['a line that is emptied after an old Mac line', 'a\rb\nc\n', 'a\n\nc\n', 'a\r\r\nc\n'],
  ['a byte order mark', '\uFEFFa\nb\r\n', 'a!\nb\n', '\uFEFFa!\nb\r\n'],
])('keeps the line ends of %s', (_, file, edited, expected) => {
  expect(changedFile(file, changesTo(file, edited))).toBe(expected)
  expect(toFileText(file, edited)).toBe(expected)
})

const ends = constantFrom('\n', '\r\n', '\r')
const file = array(tuple(constantFrom('', 'a', 'b', '  c '), ends), { maxLength: 12 }).chain((lines) =>
  constantFrom('', '\uFEFF').map((bom) => bom + lines.flat().join('')),
)
const edits = array(tuple(nat(40), nat(4), constantFrom('', 'x', '\n', 'x\ny', '\n\n')), { maxLength: 5 })

/** Edits that lie apart from one another. */
function changesOf(length: number, made: readonly (readonly [number, number, string])[]): ChangeSet {
  let at = 0
  const specs = []
  for (const [skip, deleted, insert] of made) {
    const from = at + skip + 1
    if (from > length) break
    at = Math.min(length, from + deleted)
    specs.push({ from, to: at, insert })
  }
  return ChangeSet.of(specs, length, '\n')
}

it('never changes what the person wrote', () => {
  assert(
    property(file, edits, (file, made) => {
      const text = toText(toEditorText(file))
      const changes = changesOf(text.length, made)
      return toEditorText(changedFile(file, changes)) === changes.apply(text).toString()
    }),
  )
})

it('keeps every byte that no edit touches', () => {
  assert(property(file, (file) => changedFile(file, ChangeSet.empty(toEditorText(file).length)) === file))
})

test('a large file with edits far apart keeps the line ends in between', () => {
  const lines = 'one\ntwo\r\nthree\r'.repeat(20_000)
  const length = toEditorText(lines).length
  const changes = ChangeSet.of(
    [
      { from: 1, insert: '!' },
      { from: length - 2, insert: '!' },
    ],
    length,
  )
  const text = changes.apply(toText(toEditorText(lines)))
  const changed = fileTextAfter({ file: lines, text, changes })
  expect(changed).toBe(`o!${lines.slice(1, -2)}!e\r`)
})
