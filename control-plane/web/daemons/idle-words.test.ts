import { expect, test } from 'vitest'
import { idleWords } from './idle-words.ts'

test.each([
  [0, 'Never'],
  [45, '45 seconds'],
  [60, '1 minute'],
  [90, '90 seconds'],
  [1800, '30 minutes'],
  [3600, '1 hour'],
  [172_800, '2 days'],
])('%i seconds are %s', (seconds, words) => {
  expect(idleWords(seconds)).toBe(words)
})
