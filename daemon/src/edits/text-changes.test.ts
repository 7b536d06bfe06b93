import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textChanges } from './text-changes.ts'

const apply = (text: string, changes: ReturnType<typeof textChanges>) =>
  changes.toReversed().reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text)

const word = fc.constantFrom('one', 'two', 'three', '😀', 'a\u0301', '-', '')
const text = fc
  .array(
    fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
    { maxLength: 12 },
  )
  .map((lines) => lines.join('\n'))

describe('textChanges', () => {
  it('makes the one text of the other', () => {
    fc.assert(fc.property(text, text, (a, b) => apply(a, textChanges(a, b)) === b))
  })

  it('names the words that differ, and only those', () => {
    expect(textChanges('a b c\nd e f\n', 'a B c\nd e f\n')).toEqual([{ from: 2, to: 3, insert: 'B' }])
    expect(textChanges('same', 'same')).toEqual([])
    expect(textChanges('x\n', 'x\ny\n')).toEqual([{ from: 2, to: 2, insert: 'y\n' }])
    expect(textChanges('one\n', 'one two\n')).toEqual([{ from: 3, to: 3, insert: ' two' }])
  })

  it('replaces a word with an emoji as a whole', () => {
    expect(textChanges('a 😀 b', 'a 😁 b')).toEqual([{ from: 2, to: 4, insert: '😁' }])
  })

  it('replaces a large rewrite in one change', () => {
    const a = 'a b\n'.repeat(100_000)
    const b = 'c d\n'.repeat(100_000)
    expect(textChanges(a, b)).toEqual([{ from: 0, to: a.length, insert: b }])
  })
})
