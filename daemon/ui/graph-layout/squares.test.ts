import { expect, it } from 'vitest'
import { squaresOf } from './squares.ts'

const random = (count: number) => Float64Array.from({ length: 2 * count }, (_, at) => (at * 7919) % 1009)

it.each([
  ['some points', random(500)],
  ['points on a line', Float64Array.from({ length: 1000 }, (_, at) => (at % 2) * at)],
  ['one point many times', new Float64Array(1000).fill(3)],
  ['two places, far apart', Float64Array.from({ length: 400 }, (_, at) => (at < 200 ? 0 : 1e6 + at * 1e-7))],
])('puts each point into one undivided square, inside those around it: %s', (_what, points) => {
  const total = points.length / 2
  const { count, order, first, end, next, widths, weights, middles } = squaresOf(
    points,
    new Float64Array(total).fill(2),
  )
  expect([...order].toSorted((one, other) => one - other)).toEqual(Array.from({ length: total }, (_, at) => at))
  expect(weights[0]).toBe(2 * total)
  expect(next[0]).toBe(count)
  let seen = 0
  for (let square = 0; square < count; square++) {
    if (first[square]! < 0) continue
    expect(first[square]).toBe(seen)
    seen = end[square]!
    for (let at = first[square]!; at < end[square]!; at++) {
      const [x, y] = [points[2 * order[at]!]!, points[2 * order[at]! + 1]!]
      expect(Math.abs(x - middles[2 * square]!)).toBeLessThanOrEqual(widths[square]! * 1.001)
      expect(Math.abs(y - middles[2 * square + 1]!)).toBeLessThanOrEqual(widths[square]! * 1.001)
    }
  }
  expect(seen).toBe(total)
})

it('has no square without points', () => {
  expect(squaresOf(new Float64Array(), new Float64Array()).count).toBe(0)
})
