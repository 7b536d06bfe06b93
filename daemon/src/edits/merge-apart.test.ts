import { ChangeSet, Text } from '@codemirror/state'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { mergeApart } from './merge-apart.ts'
import { textChanges } from './text-changes.ts'

type Typed = { from: number; to?: number; insert?: string }

const toText = (text: string) => Text.of(text.split('\n'))

/** The text that both sides have after a merge; fails when they differ. */
function merged(text: string, theirs: string, typed: Typed | Typed[]): string {
  const base = toText(text)
  const ours = ChangeSet.of(typed, base.length, '\n')
  const [mine, other] = [ours.apply(base), toText(theirs)]
  const change = ChangeSet.of(textChanges(text, theirs), base.length, '\n')
  const result = mergeApart({ base, mine, other, ours, theirs: change })
  expect(result.theirs.apply(mine)).toEqual(result.text)
  expect(result.ours.apply(other)).toEqual(result.text)
  return result.text.toString()
}

describe('mergeApart', () => {
  it.each<[string, string, string, Typed | Typed[], string]>([
    [
      'a word that both replaced',
      'hello world',
      'Greetings world',
      { from: 0, to: 5, insert: 'Hi' },
      'Hi Greetings world',
    ],
    [
      'a word changed in part',
      'hello world',
      'Greetings world',
      { from: 4, to: 5, insert: 'a' },
      'hella Greetings world',
    ],
    ['a word changed inside', 'say hello', 'say Greetings', { from: 6, insert: 'XY' }, 'say heXYllo Greetings'],
    ['a word that was continued', 'hel', 'HEL', { from: 3, insert: 'lo' }, 'hello\nHEL'],
    ['a word begun anew', 'see note', 'see NOTE', { from: 4, insert: 'foot' }, 'see footnote NOTE'],
    ['a word removed with its blank', 'hello world', 'Greetings world', { from: 0, to: 6 }, 'Greetings world'],
    ['a word that they removed', 'a hello b', 'a b', { from: 5, insert: 'X' }, 'a helXlo b'],
    [
      'several words',
      'a bc de f',
      'x y z',
      [
        { from: 3, insert: 'B' },
        { from: 6, insert: 'D' },
      ],
      'bBc dDe x y z',
    ],
    ['blanks that each side removed', 'a b c', 'a c', { from: 1, to: 3 }, 'a c'],
    ['lines that both added', 'x\n', 'x\nbar\n', { from: 2, insert: 'foo' }, 'x\nbar\nfoo'],
    ['a line above a word begun anew', 'x\nbar\n', 'x\nnew\nbar\n', { from: 2, insert: 'foo' }, 'x\nnew\nfoobar\n'],
    ['a line above the first word', 'bar', 'new\nbar', { from: 0, insert: 'foo' }, 'new\nfoobar'],
    ['a line above an empty line', 'x\n\ny', 'x\nnew\n\ny', { from: 2, insert: ' foo' }, 'x\nnew\n foo\ny'],
    ['a line above a word replaced', 'x\nbar\n', 'x\nnew\nbar\n', { from: 2, to: 5, insert: 'foo' }, 'x\nnew\nfoo\n'],
    [
      'a line that both replaced',
      '- old\n- b\n',
      '- theirs\n- b\n',
      { from: 2, to: 5, insert: 'mine' },
      '- mine theirs\n- b\n',
    ],
    ['a comma behind their word', 'hello world', 'Greetings world', { from: 5, insert: ',' }, 'Greetings, world'],
    [
      'two of their words that we have removed one between',
      '- a5 a6 a7 a8',
      '- a5 t3 a7 t1 a8',
      { from: 2, to: 13, insert: 'm1' },
      '- m1 t3 t1 ',
    ],
    ['words that do not meet', 'one two three', 'ONE two three', { from: 8, to: 13, insert: 'drei' }, 'ONE two drei'],
  ])('keeps %s apart', (_name, base, theirs, typed, expected) => {
    verifies('live.outside-enters')
    expect(merged(base, theirs, typed)).toBe(expected)
  })

  it('adds no line end and tears no line where they insert whole lines', () => {
    const lines = fc.array(fc.constantFrom<string[]>('', 'foo', '- bar', '   ', 'a b'), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(lines, fc.nat(), fc.nat(), fc.boolean(), (before, line, place, atStart) => {
        const base = before.join('\n')
        const at = line % before.length
        const typedAt = place % before.length
        const start = before.slice(0, typedAt).join('\n').length + (typedAt > 0 ? 1 : 0)
        const from = atStart ? start : start + before[typedAt]!.length
        const theirs = before.toSpliced(at, 0, 'theirs').join('\n')
        const mine = before.with(typedAt, atStart ? `ours${before[typedAt]}` : `${before[typedAt]} ours`)
        const expected = mine.toSpliced(at, 0, 'theirs').join('\n').split('\n').sort()
        const result = merged(base, theirs, { from, insert: atStart ? 'ours' : ' ours' })
          .split('\n')
          .sort()
        expect(result).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('never makes one word of words of two sides, and never cuts one', () => {
    const edit = fc.record({ at: fc.nat(40), kind: fc.constantFrom('add', 'replace', 'remove') })
    const edits = fc.array(edit, { maxLength: 6 })
    const base = 'a0 a1 a2\na3 a4\n\n- a5 a6 a7 a8\na9'
    fc.assert(
      fc.property(edits, edits, (mine, theirs) => {
        const [ours, other] = [edited(base, 'm', mine), edited(base, 't', theirs)]
        const known = new Set(`${base} ${ours} ${other}`.split(/\s+/))
        const typed = textChanges(base, ours)
        const words = merged(base, other, typed).split(/\s+/).filter(Boolean)
        expect(words.filter((word) => !known.has(word))).toEqual([])
        for (const word of known) if (/^[mt]/.test(word)) expect(words).toContain(word)
      }),
      { numRuns: 2000 },
    )
  })
})

/** Adds, replaces and removes whole words. */
function edited(text: string, by: string, edits: readonly { at: number; kind: string }[]): string {
  return edits.reduce((now, { at, kind }, nth) => {
    const words = [...now.matchAll(/[a-z]\S*/g)]
    const word = words[at % words.length]
    if (!word) return now
    const insert = { add: `${by}${nth} `, replace: `${by}${nth}`, remove: '' }[kind]!
    return now.slice(0, word.index) + insert + now.slice(word.index + (kind === 'add' ? 0 : word[0].length))
  }, text)
}
