import { expect, it } from 'vitest'
import { layOut, type Shape } from './lay-out.ts'

const settled = (shape: Shape) => {
  const layout = layOut(shape)
  let steps = 0
  while (!layout.isSettled() && steps < 1000) {
    layout.step()
    steps++
  }
  return { places: layout.places(), steps }
}
const distance = (places: Float32Array, one: number, other: number) =>
  Math.hypot(places[2 * one]! - places[2 * other]!, places[2 * one + 1]! - places[2 * other + 1]!)

it('ends, puts linked files near each other, and always makes the same picture', () => {
  const shape = { count: 40, edges: Uint32Array.from([0, 39, 1, 38]) }
  const { places, steps } = settled(shape)
  expect(steps).toBeLessThan(400)
  expect(places.every(Number.isFinite)).toBe(true)
  expect(distance(places, 0, 39)).toBeLessThan(distance(places, 0, 38))
  expect(settled(shape).places).toEqual(places)
})

it('lays out a graph of one file, and of none', () => {
  expect([...settled({ count: 1, edges: new Uint32Array() }).places]).toHaveLength(2)
  expect(settled({ count: 0, edges: new Uint32Array() }).places).toHaveLength(0)
})
