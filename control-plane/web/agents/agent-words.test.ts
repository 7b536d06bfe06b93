import { expect, test } from 'vitest'
import { countWords } from './agent-words.ts'

test.each([
  [0, 0, null, '0 reads, 0 changes'],
  [1, 1, 0, '1 read, 1 change, 0 undone'],
  [1234, 2, 1, '1,234 reads, 2 changes, 1 undone'],
])('%d, %d and %s', (reads, writes, undone, words) => expect(countWords({ reads, writes, undone })).toBe(words))
