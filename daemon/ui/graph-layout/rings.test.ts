import { expect, it } from 'vitest'
import { ringsAround } from './rings.ts'

it('puts files around all points, apart from each other', () => {
  const places = ringsAround(Float32Array.of(3, 4, -100, 0), 200)
  const all = Array.from({ length: 200 }, (_, at): [number, number] => [places[2 * at]!, places[2 * at + 1]!])
  for (const [x, y] of all) expect(Math.hypot(x, y)).toBeGreaterThan(130)
  const apart = all.flatMap(([x, y], at) => all.slice(at + 1).map(([x2, y2]) => Math.hypot(x - x2, y - y2)))
  expect(Math.min(...apart)).toBeGreaterThan(35)
  expect(Math.max(...all.map(([x, y]) => Math.hypot(x, y)))).toBeLessThan(500)
})

it('puts files around nothing, and no files around points', () => {
  expect(ringsAround(new Float32Array(), 1)).toHaveLength(2)
  expect(ringsAround(Float32Array.of(1, 2), 0)).toHaveLength(0)
})
