import { expect, it } from 'vitest'
import { fitted, moved, toPlane, toScreen, zoomed } from './camera.ts'

const size = { width: 400, height: 200 }
const camera = { x: 10, y: -20, scale: 2 }

it('turns points of the plane into points of the screen and back', () => {
  expect(toScreen(camera, size, { x: 10, y: -20 })).toEqual({ x: 200, y: 100 })
  expect(toPlane(camera, size, toScreen(camera, size, { x: 3, y: 4 }))).toEqual({ x: 3, y: 4 })
})

it('zooms around the pointer, within bounds', () => {
  const at = { x: 50, y: 30 }
  const near = zoomed(camera, size, { by: 2, at })
  expect(near.scale).toBe(4)
  expect(toPlane(near, size, at)).toEqual(toPlane(camera, size, at))
  expect(zoomed(camera, size, { by: 1000, at }).scale).toBe(8)
  expect(zoomed(camera, size, { by: 0, at }).scale).toBe(0.01)
})

it('moves with the pointer', () => {
  expect(toScreen(moved(camera, { x: 30, y: -8 }), size, { x: 10, y: -20 })).toEqual({ x: 230, y: 92 })
})

it('shows all points, and no point at all', () => {
  const all = fitted(Float32Array.from([-1000, 0, 1000, 100]), size)
  expect(all).toEqual({ x: 0, y: 50, scale: 288 / 2000 })
  expect(fitted(new Float32Array(), size)).toEqual({ x: 0, y: 0, scale: 1 })
  expect(fitted(Float32Array.from([5, 6]), size)).toEqual({ x: 5, y: 6, scale: 2 })
})

it('shows the lowest point well above the buttons in the lower corner', () => {
  const high = { width: 390, height: 348 }
  const camera = fitted(Float32Array.from([0, 0, 10, 4000]), high)
  expect(toScreen(camera, high, { x: 0, y: 0 }).y).toBeCloseTo(56)
  expect(toScreen(camera, high, { x: 10, y: 4000 }).y).toBeCloseTo(348 - 88)
})
