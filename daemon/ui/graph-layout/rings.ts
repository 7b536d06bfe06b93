/** The distance between neighbouring files on a ring, and between neighbouring rings. */
const ROOM = 40

/**
 * Positions for `count` files, on rings around all given points. Points and positions are alternating x and y. Pure.
 */
export function ringsAround(points: Float32Array, count: number): Float32Array {
  let radius = 0
  for (let at = 0; at < points.length; at += 2) radius = Math.max(radius, Math.hypot(points[at]!, points[at + 1]!))
  const places = new Float32Array(2 * count)
  for (let first = 0; first < count;) {
    radius += ROOM
    const onRing = Math.min(count - first, Math.floor((2 * Math.PI * radius) / ROOM))
    for (let nth = 0; nth < onRing; nth++) {
      const angle = (2 * Math.PI * nth) / onRing
      places[2 * (first + nth)] = radius * Math.cos(angle)
      places[2 * (first + nth) + 1] = radius * Math.sin(angle)
    }
    first += onRing
  }
  return places
}
