import { boundsOf } from '../graph-layout/bounds.ts'

/**
 * Maps the plane of the graph to the screen: the middle of the screen shows the point (x, y) at `scale` pixels per
 * unit.
 */
export type Camera = { x: number; y: number; scale: number }

export type Size = { width: number; height: number }
export type Point = { x: number; y: number }

const NEAREST = 8
const FARTHEST = 0.01
/** Maximum scale when all files are fitted, so that a few files do not fill the screen. */
const FIT_NEAREST = 2
/** Space for names. */
const FIT_MARGIN = 56
/** Space for the buttons in the lower corner, and for a name above them. */
const FIT_FOOT = 88

export const toScreen = ({ x, y, scale }: Camera, { width, height }: Size, point: Point): Point => ({
  x: (point.x - x) * scale + width / 2,
  y: (point.y - y) * scale + height / 2,
})

export const toPlane = ({ x, y, scale }: Camera, { width, height }: Size, point: Point): Point => ({
  x: (point.x - width / 2) / scale + x,
  y: (point.y - height / 2) / scale + y,
})

/** Zooms by a factor; what is at `at` on the screen stays there. */
export function zoomed(camera: Camera, size: Size, { by, at }: { by: number; at: Point }): Camera {
  const scale = Math.min(NEAREST, Math.max(FARTHEST, camera.scale * by))
  const fixed = toPlane(camera, size, at)
  return {
    scale,
    x: fixed.x - (at.x - size.width / 2) / scale,
    y: fixed.y - (at.y - size.height / 2) / scale,
  }
}

/** Moves the plane by pixels of the screen. */
export const moved = ({ x, y, scale }: Camera, by: Point): Camera => ({
  scale,
  x: x - by.x / scale,
  y: y - by.y / scale,
})

/** The camera that shows all points, an array of alternating x and y. */
export function fitted(points: Float32Array, { width, height }: Size): Camera {
  const { left, top, right, bottom } = boundsOf(points)
  if (left > right) return { x: 0, y: 0, scale: 1 }
  const across = Math.max(1, width - 2 * FIT_MARGIN) / (right - left || 1)
  const down = Math.max(1, height - FIT_MARGIN - FIT_FOOT) / (bottom - top || 1)
  const scale = Math.max(FARTHEST, Math.min(across, down, FIT_NEAREST))
  const tooLow = Math.max(0, ((bottom - top) * scale) / 2 + FIT_FOOT - height / 2)
  return { x: (left + right) / 2, y: (top + bottom) / 2 + tooLow / scale, scale }
}
