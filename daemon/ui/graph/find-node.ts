import type { Point } from './camera.ts'

/**
 * The index of the point nearest to a position, within `reach`; undefined if there is none. Points are alternating x
 * and y.
 */
export function nodeAt(points: Float32Array, { x, y }: Point, reach: number): number | undefined {
  let found: number | undefined
  let nearest = reach * reach
  for (let at = 0; at < points.length; at += 2) {
    const distance = (points[at]! - x) ** 2 + (points[at + 1]! - y) ** 2
    if (distance > nearest) continue
    nearest = distance
    found = at / 2
  }
  return found
}

/** The next point in the direction of an arrow key: near, and more ahead than aside. */
export function nodeTowards(points: Float32Array, from: number, direction: Point): number | undefined {
  const [x, y] = [points[from * 2]!, points[from * 2 + 1]!]
  let found: number | undefined
  let least = Infinity
  for (let at = 0; at < points.length; at += 2) {
    const [across, down] = [points[at]! - x, points[at + 1]! - y]
    const ahead = across * direction.x + down * direction.y
    const aside = Math.abs(across * direction.y - down * direction.x)
    if (ahead <= 0 || aside > 2 * ahead) continue
    const effort = ahead + 2 * aside
    if (effort >= least) continue
    least = effort
    found = at / 2
  }
  return found
}
