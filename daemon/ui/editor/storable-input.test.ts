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
})
