import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { findAnchor, type Anchor } from './anchors.ts'
import { nearestLines } from './nearest-lines.ts'

const passage = (text: string, anchor: Anchor) => {
  const found = findAnchor(text, anchor)
  return found.kind === 'found' ? [text.slice(found.passage.start, found.passage.end), found.matched] : found.count
}

describe('findAnchor', () => {
  test.each<[string, string, Anchor, unknown]>([
    ['one match as written', 'a b c', { oldText: 'b' }, ['b', 'exact']],
    ['two matches are not one', 'b b', { oldText: 'b' }, 2],
    ['overlapping matches count', 'aaa', { oldText: 'aa' }, 2],
    ['an occurrence chooses', 'x1 x2', { oldText: 'x', occurrence: 2 }, ['x', 'exact']],
    ['an occurrence beyond the last is refused', 'x x', { oldText: 'x', occurrence: 3 }, 2],
    ['what touches it chooses', 'red car, blue car', { oldText: 'car', before: 'blue ' }, ['car', 'exact']],
    ['what follows chooses', 'car!, car?', { oldText: 'car', after: '?' }, ['car', 'exact']],
    ['CRLF is found by LF', 'one\r\ntwo\r\n', { oldText: 'one\ntwo' }, ['one\r\ntwo', 'whitespace']],
    ['blanks before a line end are overlooked', 'one  \ntwo', { oldText: 'one\ntwo' }, ['one  \ntwo', 'whitespace']],
    ['blanks that the note lacks', 'one\ntwo', { oldText: 'one  \ntwo' }, ['one\ntwo', 'whitespace']],
    ['a trailing blank must end a line', 'onesies\none\n', { oldText: 'one ' }, ['one', 'whitespace']],
    ['curly quotes', 'say “hi” now', { oldText: 'say "hi"' }, ['say “hi”', 'unicode']],
    ['a dash', 'a – b', { oldText: 'a - b' }, ['a – b', 'unicode']],
    ['a no-break space', '5\u00a0km', { oldText: '5 km' }, ['5\u00a0km', 'unicode']],
    ['normal forms', 'Cafe\u0301 here', { oldText: 'Café' }, ['Cafe\u0301', 'unicode']],
    ['zero width', 'wo\u200brd', { oldText: 'word' }, ['wo\u200brd', 'unicode']],
    ['runs of blanks', 'a   b\tc', { oldText: 'a b c' }, ['a   b\tc', 'blanks']],
    ['runs of blanks behind an indentation', '  a  b', { oldText: '  a b' }, ['  a  b', 'blanks']],
    ['an indentation of another depth', '- a\n  - b', { oldText: '    - b' }, 0],
    ['tolerance needs a single match', 'a  b a   b', { oldText: 'a b' }, 2],
    ['nothing at all', 'abc', { oldText: 'xyz' }, 0],
    ['an emoji is not cut', '😀 a', { oldText: '😀' }, ['😀', 'exact']],
    ['dollar signs mean themselves', 'cost $& more', { oldText: '$&' }, ['$&', 'exact']],
  ])('%s', (_name, text, anchor, expected) => {
    verifies('edit.tolerant')
    expect(passage(text, anchor)).toEqual(expected)
  })

  test('lists at most five candidates with line and context', () => {
    verifies('error.match-count', 'edit.candidates')
    const found = findAnchor('x\n'.repeat(9), { oldText: 'x' })
    expect(found).toMatchObject({ kind: 'not_one', count: 9 })
    if (found.kind === 'not_one') expect(found.candidates.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
  })
})

test('names the nearest lines of an anchor that is nowhere', () => {
  verifies('edit.candidates')
  const text = 'alpha beta gamma\n\ndelta epsilon\n'
  expect(nearestLines(text, 'alpha beta gama')).toEqual([{ line: 1, text: 'alpha beta gamma', differs: 'text' }])
  expect(nearestLines(text, 'DELTA EPSILON')).toEqual([{ line: 3, text: 'delta epsilon', differs: 'case' }])
  expect(nearestLines(text, 'entirely other words')).toEqual([])
})
