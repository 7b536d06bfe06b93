import fc from 'fast-check'
import { expect, test } from 'vitest'
import { best, bestIndexes } from './ranking.ts'

test('the best scores come first, and of equal ones the earlier', () => {
  expect(bestIndexes(Float32Array.of(1, 3, 2, 3), 3)).toEqual([1, 3, 2])
  expect(bestIndexes(Float32Array.of(1), 0)).toEqual([])
  expect(bestIndexes(new Float32Array(0), 5)).toEqual([])
})

test('what is best of many scores is what sorting all of them says, by either function', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), fc.nat(70), (scores, limit) => {
      const items = scores.map((score, order) => ({ score, order }))
      const sorted = items.toSorted((a, b) => b.score - a.score || a.order - b.order).slice(0, limit)
      expect(best(items, limit)).toEqual(sorted)
      expect(bestIndexes(Float32Array.from(scores), limit)).toEqual(sorted.map(({ order }) => order))
    }),
  )
})
