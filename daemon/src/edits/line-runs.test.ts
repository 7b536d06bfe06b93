import fc from 'fast-check'
import { expect, test } from 'vitest'
import { authoredLines, carryRuns, countLines } from './line-runs.ts'

test('lines are counted as they are split', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\uFEFF'), maxLength: 8 })
  fc.assert(
    fc.property(text, (some) => {
      expect(countLines(some)).toBe(authoredLines(some).length)
    }),
    { numRuns: 2000 },
  )
})

test('more runs than a call takes arguments are carried over a change', () => {
  const runs = Array.from({ length: 300_000 }, (_, number) => ({ lines: 1, by: number }))
  const carried = carryRuns(runs, [{ fromA: 150_000, toA: 150_001, fromB: 150_000, toB: 150_002 }], () => [
    { lines: 2, by: -1 },
  ])
  expect(carried).toHaveLength(300_000)
  expect(carried[150_000]).toEqual({ lines: 2, by: -1 })
})
