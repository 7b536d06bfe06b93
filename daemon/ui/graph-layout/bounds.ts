/**
 * The smallest box around points, an array of alternating x and y. Without points, its left is greater than its right.
 * Pure.
 */
export function boundsOf(points: Float32Array | Float64Array) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let at = 0; at < points.length; at += 2) {
    left = Math.min(left, points[at]!)
    right = Math.max(right, points[at]!)
    top = Math.min(top, points[at + 1]!)
    bottom = Math.max(bottom, points[at + 1]!)
  }
  return { left, top, right, bottom }
}
