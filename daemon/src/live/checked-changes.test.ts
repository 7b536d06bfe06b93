import { ChangeSet, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { checkedChanges, refuseTornCharacters } from './checked-changes.ts'

describe('checkedChanges', () => {
  it('takes change sets that follow one another', () => {
    const changes = checkedChanges([[3, [0, 'd']], [[4, '']]], 3)
    expect(changes.map(({ length, newLength }) => [length, newLength])).toEqual([
      [3, 4],
      [4, 0],
    ])
  })

  it.each([
    ['that are for another length', [[4]]],
    ['that do not follow one another', [[[3, '']], [3]]],
    ['that are no change sets', [[[]]]],
  ])('refuses some %s', (_what, updates) => {
    expect(() => checkedChanges(updates as never, 3)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})

describe('refuseTornCharacters', () => {
  const text = Text.of(['a😀b'])
  it.each([
    ['half of a character deleted', { from: 1, to: 2 }],
    ['something inserted into one', { from: 2, insert: 'x' }],
  ])('refuses %s', (_what, change) => {
    expect(() => refuseTornCharacters(ChangeSet.of(change, 4), text)).toThrow()
  })

  it('takes what leaves characters whole', () => {
    expect(() => refuseTornCharacters(ChangeSet.of({ from: 1, to: 3, insert: '😁' }, 4), text)).not.toThrow()
  })
})
