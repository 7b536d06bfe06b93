import { expect, it } from 'vitest'
import type { Shape } from './coarsen.ts'
import { layOut } from './lay-out.ts'

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

it('lays out a large graph from coarse to fine: the same picture, linked files near each other, in few steps', () => {
  // 60 rings of 50 files each.
  const edges = Uint32Array.from({ length: 6000 }, (_, at) => {
    const [from, ring] = [Math.floor(at / 2), Math.floor(at / 100)]
    return at % 2 === 0 ? from : from % 50 === 49 ? ring * 50 : from + 1
  })
  const shape = { count: 3000, edges }
  const { places, steps } = settled(shape)
  expect(steps).toBeLessThan(400)
  expect(places.every(Number.isFinite)).toBe(true)
  const linked = Array.from({ length: 3000 }, (_, at) => distance(places, edges[2 * at]!, edges[2 * at + 1]!))
  const others = Array.from({ length: 3000 }, (_, at) => distance(places, at, (at + 1500) % 3000))
  const mean = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
  expect(mean(linked)).toBeLessThan(mean(others) / 5)
  expect(settled(shape).places).toEqual(places)
})

it('has positions for all files of a large graph at each step', () => {
  const layout = layOut({ count: 2500, edges: Uint32Array.from({ length: 4998 }, (_, at) => Math.ceil(at / 2)) })
  for (; !layout.isSettled(); layout.step()) expect(layout.places()).toHaveLength(5000)
  expect(layout.places().every(Number.isFinite)).toBe(true)
})
