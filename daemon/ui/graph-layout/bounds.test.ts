import { expect, test } from 'vitest'
import { boundsOf } from './bounds.ts'

test('a box holds all points and nothing beyond them', () => {
  expect(boundsOf(Float64Array.of(1, -2, -3, 4, 0, 0))).toEqual({ left: -3, top: -2, right: 1, bottom: 4 })
  expect(boundsOf(Float32Array.of(5, 6))).toEqual({ left: 5, top: 6, right: 5, bottom: 6 })
})

test('no points have no box', () => {
  const { left, right } = boundsOf(new Float64Array())
  expect(left).toBeGreaterThan(right)
})
