import { EditorState, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { storable, storableInput } from './storable-input.ts'

describe('text that is typed or pasted', () => {
  it.each([
    ['plain', 'plain'],
    ['two\r\nlines\rthree', 'two\nlines\nthree'],
    ['nul \0 here', 'nul \uFFFD here'],
    ['half \uD800 pair', 'half \uFFFD pair'],
    ['whole 😀', 'whole 😀'],
  ])('%j is stored as %j', (text, stored) => {
    expect(storable(text)).toBe(stored)
  })

  it('is corrected at each place of a change', () => {
    const state = EditorState.create({ doc: 'one two', extensions: [storableInput] })
    const changes = [
      { from: 0, to: 3, insert: Text.of(['a\0b']) },
      { from: 7, insert: Text.of(['\0', 'c']) },
    ]
    expect(state.update({ changes }).state.doc.toString()).toBe('a\uFFFDb two\uFFFD\nc')
  })

  it.each([
    ['the second unit is exchanged', { from: 2, to: 3, insert: '\uDE03' }, 'a😃b', [[1, 3]]],
    ['the first unit is exchanged', { from: 1, to: 2, insert: '\uD83E' }, 'a\uD83E\uDE00b', [[1, 3]]],
    ['one unit is deleted', { from: 2, to: 3, insert: '' }, 'a\uFFFDb', [[1, 3]]],
    ['text is inserted inside it', { from: 2, to: 2, insert: '-' }, 'a\uFFFD-\uFFFDb', [[1, 3]]],
    ['it is deleted as a whole', { from: 1, to: 3, insert: '' }, 'ab', [[1, 3]]],
    [
      'both units are exchanged one by one',
      [1, 2].map((at) => ({ from: at, to: at + 1, insert: '😃'[at - 1]! })),
      'a😃b',
      [[1, 3]],
    ],
  ])('is a change of a whole pair when %s', (_what, changes, text, ranges) => {
    const state = EditorState.create({ doc: 'a😀b', extensions: [storableInput] })
    const transaction = state.update({ changes })
    const changed: number[][] = []
    transaction.changes.iterChangedRanges((from, to) => changed.push([from, to]))
    expect([transaction.newDoc.toString(), changed]).toEqual([text, ranges])
    transaction.changes.iterChanges((_from, _to, _start, _end, inserted) => {
      expect(inserted.toString().isWellFormed()).toBe(true)
    }, true)
  })

  it('leaves the caret after the exchanged pair', () => {
    const state = EditorState.create({ doc: 'a😀b', extensions: [storableInput] })
    const change = { changes: { from: 2, to: 3, insert: '\uDE03' }, selection: { anchor: 3 }, userEvent: 'input.type' }
    const transaction = state.update(change)
    expect([transaction.newSelection.main.head, transaction.isUserEvent('input.type')]).toEqual([3, true])
  })
})
