import { expect, it } from 'vitest'
import { nodeAt, nodeTowards } from './find-node.ts'

const points = Float32Array.from([0, 0, 10, 1, 30, 0, 0, 20, -5, -5])

it('finds the nearest point within reach', () => {
  expect(nodeAt(points, { x: 8, y: 0 }, 5)).toBe(1)
  expect(nodeAt(points, { x: 100, y: 100 }, 5)).toBeUndefined()
})

it.each([
  ['right', { x: 1, y: 0 }, 1],
  ['down', { x: 0, y: 1 }, 3],
  ['left', { x: -1, y: 0 }, 4],
])('goes %s to the next point', (_, direction, next) => expect(nodeTowards(points, 0, direction)).toBe(next))

it('stays where no point is ahead', () => expect(nodeTowards(points, 2, { x: 1, y: 0 })).toBeUndefined())
