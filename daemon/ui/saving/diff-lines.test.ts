import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines } from './diff-lines.ts'

const lines = (text: string) => [...text]

/** Applies the hunks to the old lines; must give the new ones. */
function patched(before: string[], after: string[]) {
  const out: string[] = []
  let at = 0
  for (const { from, to, start, end } of diffLines(before, after)) {
    out.push(...before.slice(at, from), ...after.slice(start, end))
    at = to
  }
  return [...out, ...before.slice(at)]
}

describe('line diff', () => {
  it.each([
    ['', '', []],
    ['abc', 'abc', []],
    ['abc', 'aXc', [{ from: 1, to: 2, start: 1, end: 2 }]],
    ['abc', 'abcd', [{ from: 3, to: 3, start: 3, end: 4 }]],
    ['abcabc', 'abcXabc', [{ from: 3, to: 3, start: 3, end: 4 }]],
    ['abc', '', [{ from: 0, to: 3, start: 0, end: 0 }]],
  ])('%s to %s', (before, after, hunks) => expect(diffLines(lines(before), lines(after))).toEqual(hunks))

  it('always leads from one text to the other', () => {
    const text = array(constantFrom('', 'a', 'b', 'c', 'constructor', 'd'), { maxLength: 24 })
    assert(property(text, text, (before, after) => patched(before, after).join('\n') === after.join('\n')))
  })

  it('copes with a large note rewritten from nothing but repeated lines', () => {
    const before = Array.from({ length: 5000 }, (_, at) => (at % 2 === 0 ? 'x' : 'y'))
    const after = Array.from({ length: 5000 }, (_, at) => (at % 2 === 0 ? 'y' : 'z'))
    expect(patched(before, after)).toEqual(after)
  })
})
