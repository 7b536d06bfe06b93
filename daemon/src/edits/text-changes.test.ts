import { ChangeSet, Text } from '@codemirror/state'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInsideCharacter, textChanges } from './text-changes.ts'

const apply = (text: string, changes: ReturnType<typeof textChanges>) =>
  changes.toReversed().reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text)

/** Whole words are added before other words, with a blank after them, and removed without it. */
function edited(text: string, by: string, edits: readonly { at: number; isRemoval: boolean; blank: string }[]): string {
  return edits.reduce((now, { at, isRemoval, blank }, nth) => {
    const words = [...now.matchAll(/\S+/g)]
    const word = words[at % words.length]
    if (!word) return now
    const rest = now.slice(word.index + (isRemoval ? word[0].length : 0))
    return `${now.slice(0, word.index)}${isRemoval ? '' : `${by}${nth}${blank}`}${rest}`
  }, text)
}

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

  it('names a word that came or went with the blank behind it, also beside other changes', () => {
    const before = 'a b\nc d e\n'
    expect(textChanges(before, 'x a b\nc y d e\n')).toEqual([
      { from: 0, to: 0, insert: 'x ' },
      { from: 6, to: 6, insert: 'y ' },
    ])
    expect(textChanges(before, 'x a b\nc e\n')).toEqual([
      { from: 0, to: 0, insert: 'x ' },
      { from: 6, to: 8, insert: '' },
    ])
  })

  it('keeps words of two people apart that meet where a third one removed a word', () => {
    const before = Text.of(['a b', 'c d', ''])
    const theirs = ChangeSet.of(textChanges(before.toString(), 'x a b\nc y d\n'), before.length)
    const typed = ChangeSet.of({ from: 4, insert: 'mine ' }, before.length)
    const removed = ChangeSet.of({ from: 4, to: 5 }, before.length)
    const [here, there] = [removed.map(typed), theirs.map(typed.compose(removed.map(typed)))]
    expect(
      there
        .apply(here.apply(typed.apply(before)))
        .toString()
        .split(/\s+/),
    ).toEqual(['x', 'a', 'b', 'mine', 'y', 'd', ''])
  })

  it('names a word that replaces another one with the blank that came with it', () => {
    expect(textChanges('a b c\n', 'a x  c\n')).toEqual([{ from: 2, to: 3, insert: 'x ' }])
    expect(textChanges('a b c\n', 'a  x c\n')).toEqual([
      { from: 2, to: 3, insert: '' },
      { from: 4, to: 4, insert: 'x ' },
    ])
    expect(textChanges('a b c\n', 'a x c\n')).toEqual([{ from: 2, to: 3, insert: 'x' }])
  })

  it('names words between blanks that stayed with the blank behind each', () => {
    expect(textChanges(' a\n', 'x  a\n')).toEqual([{ from: 0, to: 0, insert: 'x ' }])
    expect(textChanges(' \na\n', 'x  y\n\nz a\n')).toEqual([
      { from: 0, to: 0, insert: 'x ' },
      { from: 1, to: 1, insert: 'y\n' },
      { from: 2, to: 2, insert: 'z ' },
    ])
  })

  it('keeps the words of two people apart that both add and remove whole words', () => {
    const edit = fc.record({ at: fc.nat(), isRemoval: fc.boolean(), blank: fc.constantFrom(' ', '\n') })
    const edits = fc.array(edit, { maxLength: 8 })
    const start = 'a b c\nd e f\ng h i\n'
    fc.assert(
      fc.property(edits, edits, (ours, theirs) => {
        const before = Text.of(start.split('\n'))
        const changesOf = (by: string, list: typeof ours) =>
          ChangeSet.of(textChanges(start, edited(start, by, list)), before.length, '\n')
        const [here, there] = [changesOf('ours', ours), changesOf('theirs', theirs)]
        const merged = there.map(here).apply(here.apply(before)).toString()
        expect(merged.match(/\S+/g)?.filter((found) => !/^([a-i]|ours\d|theirs\d)$/.test(found)) ?? []).toEqual([])
      }),
      { numRuns: 2_000 },
    )
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

it('only the place between the two units of a character is inside it', () => {
  const text = Text.of(['a😀', '😃b'])
  const places = Array.from({ length: text.length + 1 }, (_, at) => at)
  expect(places.filter((at) => isInsideCharacter(text, at))).toEqual([2, 5])
})
