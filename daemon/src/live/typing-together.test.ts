import { expect, test } from 'vitest'
import { typedTogether } from '../../../test/support/typing-together.ts'

const RUNS = 200

test('two people who each begin a line at the end of a note at the same time write two lines', () => {
  const types = ['\nand by the second', '\nwritten by the first']
  for (let seed = 1; seed <= RUNS; seed++) {
    const { text, shown } = typedTogether({ text: 'Note', types, seed })
    expect(text.split('\n').toSorted(), `seed ${seed}`).toEqual(['Note', 'and by the second', 'written by the first'])
    expect(shown, `seed ${seed}`).toEqual([text, text])
  }
})

test('what three people type at one place at the same time is not mixed', () => {
  const types = ['one two three', 'four five six', 'seven eight nine']
  for (let seed = 1; seed <= RUNS; seed++) {
    const { text, shown } = typedTogether({ text: '', types, seed })
    for (const typed of types) expect(text, `seed ${seed}`).toContain(typed)
    expect(new Set([text, ...shown]), `seed ${seed}`).toHaveLength(1)
  }
})
