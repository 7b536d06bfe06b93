import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BestNotes } from './best-notes.ts'

const bestOf = (scores: readonly number[], limit: number, order: readonly number[]) => {
  const best = new BestNotes(limit)
  for (const number of order) if (scores[number]! >= best.least) best.offer(number, scores[number]!)
  const { numbers, values, count } = best.sorted()
  return Array.from({ length: count }, (_, index) => [numbers[index], values[index]])
}

test('the best scores come first, and of equal ones the lower numbers', () => {
  const inOrder = [0, 1, 2, 3]
  expect(bestOf([1, 3, 2, 3], 3, inOrder)).toEqual([
    [1, 3],
    [3, 3],
    [2, 2],
  ])
  expect(bestOf([1], 0, [0])).toEqual([])
  expect(bestOf([], 5, [])).toEqual([])
})

test('scores that are alike once they are stored are alike', () => {
  const [low, high] = [1 + 1e-9, 1 + 2e-9]
  expect(bestOf([low, high], 1, [1, 0])).toEqual([[0, 1]])
})

test('what is best is what sorting all says, in whatever order they are offered', () => {
  const offered = fc
    .array(fc.nat(9), { maxLength: 60 })
    .chain((scores) =>
      fc.tuple(
        fc.constant(scores),
        fc.shuffledSubarray([...scores.keys()], { minLength: scores.length }),
        fc.nat(scores.length),
      ),
    )
  fc.assert(
    fc.property(offered, ([scores, order, limit]) => {
      const sorted = [...scores.entries()].sort(([a, first], [b, second]) => second - first || a - b)
      expect(bestOf(scores, limit, order)).toEqual(sorted.slice(0, limit))
    }),
  )
})
