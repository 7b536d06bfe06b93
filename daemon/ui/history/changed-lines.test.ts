import { describe, expect, it } from 'vitest'
import { changedLines } from './changed-lines.ts'

const brief = (before: string[], after: string[]) =>
  changedLines(before.join('\n'), after.join('\n')).map(({ kind, lines }) => `${kind} ${lines.join(' ')}`)
const many = Array.from({ length: 20 }, (_, index) => `l${index}`)

describe('what a version changed', () => {
  it('is nothing where both are the same', () => expect(brief(['a'], ['a'])).toEqual([]))
  it('is all of a first version', () => expect(brief([], ['a', 'b'])).toEqual(['added a b']))
  it('is all of a text that was emptied', () => expect(brief(['a'], [])).toEqual(['removed a']))
  it('stands between the lines around it', () =>
    expect(brief(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual(['same a', 'removed b', 'added x', 'same c']))
  it('folds what lies far from it', () =>
    expect(brief(many, many.with(10, 'x'))).toEqual([
      'folded l0 l1 l2 l3 l4 l5 l6',
      'same l7 l8 l9',
      'removed l10',
      'added x',
      'same l11 l12 l13',
      'folded l14 l15 l16 l17 l18 l19',
    ]))
})
