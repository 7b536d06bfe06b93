import { describe, expect, it } from 'vitest'
import { agreedState } from './agreed-state.ts'

const session = {
  files: [
    { baseline: 'first', text: 'one\n' },
    { baseline: 'second', text: 'one\ntwo\n' },
  ],
} as Parameters<typeof agreedState>[0]

describe('the state of the file that a restored session builds on', () => {
  it.each([
    ['the one that the file is in', 'second', 'one\ntwo\n', 'one\ntwo\n'],
    ['the earlier one, where the save was not made', 'first', 'one\n', 'one\n'],
    ['the nearest one, where somebody changed the file meanwhile', 'other', 'one\ntwo\nthree\n', 'one\ntwo\n'],
  ])('is %s', (_what, baseline, text, agreed) => {
    expect(agreedState(session, { path: 'n.md', text, baseline }).text).toBe(agreed)
  })
})
