import { expect, test } from 'vitest'
import { carryRuns } from './line-runs.ts'

test('more runs than a call takes arguments are carried over a change', () => {
  const runs = Array.from({ length: 300_000 }, (_, number) => ({ lines: 1, by: number }))
  const carried = carryRuns(runs, [{ fromA: 150_000, toA: 150_001, fromB: 150_000, toB: 150_002 }], () => [
    { lines: 2, by: -1 },
  ])
  expect(carried).toHaveLength(300_000)
  expect(carried[150_000]).toEqual({ lines: 2, by: -1 })
})
