import { expect, test } from 'vitest'
import { countWords } from './agent-words.ts'

test.each([
  [0, 0, '0 reads, 0 changes'],
  [1, 1, '1 read, 1 change'],
  [1234, 2, '1,234 reads, 2 changes'],
])('%d and %d', (reads, writes, words) => expect(countWords({ reads, writes })).toBe(words))
