import { expect, test } from 'vitest'
import { ageText, freshnessOf, trueUntil } from './freshness.ts'

test('the page is as old as its oldest read, or as the last word of the event stream', () => {
  expect(trueUntil(0, { readAt: 5_000, heardAt: 9_000, isTold: true })).toBe(9_000)
  expect(trueUntil(0, { readAt: 5_000, heardAt: 4_000, isTold: true })).toBe(5_000)
})

test('the event stream proves nothing while a read fails or is in flight, or before the first one', () => {
  expect(trueUntil(0, { readAt: 5_000, heardAt: 9_000, isTold: false })).toBe(5_000)
  expect(trueUntil(0, { readAt: 0, heardAt: 9_000, isTold: true })).toBe(0)
})

test('a read in flight does not make the page older', () => {
  expect(trueUntil(9_000, { readAt: 5_000, heardAt: 9_000, isTold: false })).toBe(9_000)
})

test('the page is live for ten seconds, then it reconnects; without a network it is offline at once', () => {
  expect(freshnessOf({ ageMs: 10_000, isOnline: true })).toBe('live')
  expect(freshnessOf({ ageMs: 10_001, isOnline: true })).toBe('reconnecting')
  expect(freshnessOf({ ageMs: 0, isOnline: false })).toBe('offline')
})

test.each([
  [-40, '0 s ago'],
  [2_300, '2 s ago'],
  [59_400, '59 s ago'],
  [60_000, '1 min ago'],
  [3_599_000, '59 min ago'],
  [7_200_000, '2 h ago'],
])('%i ms is %s', (ageMs, text) => {
  expect(ageText(ageMs)).toBe(text)
})
