import { expect, it } from 'vitest'
import { beginningOf } from './beginning-of.ts'

it.each([
  ['a short note whole', 'one\n\ntwo', 20, 'one\n\ntwo'],
  ['whole paragraphs', 'one\n\ntwo\n\nthree', 10, 'one\n\ntwo'],
  ['whole lines of a long paragraph', 'one\ntwo\nthree', 10, 'one\ntwo'],
  ['a part of a long line', 'abcdefghij', 4, 'abcd'],
  ['no properties', '---\nstate: open\n---\none\n\ntwo', 5, 'one'],
])('shows %s', (_, text, most, shown) => expect(beginningOf(text, most).trim()).toBe(shown))
