import type { Picture } from './picture.ts'

/**
 * Draws at most `most` links, starting with the one at `from`; returns where the next slice begins, if there is one.
 */
export function drawLinks(
  context: OffscreenCanvasRenderingContext2D,
  { dots: { edges }, places, camera, size, colours }: Picture,
  { from, most }: { from: number; most: number },
): number | undefined {
  const { width, height } = size
  const end = Math.min(edges.length, from + 2 * most)
  context.beginPath()
  for (let at = from; at < end; at += 2) {
    const [one, other] = [2 * edges[at]!, 2 * edges[at + 1]!]
    const x1 = (places[one]! - camera.x) * camera.scale + width / 2
    const y1 = (places[one + 1]! - camera.y) * camera.scale + height / 2
    const x2 = (places[other]! - camera.x) * camera.scale + width / 2
    const y2 = (places[other + 1]! - camera.y) * camera.scale + height / 2
    const isOut = (x1 < 0 && x2 < 0) || (y1 < 0 && y2 < 0) || (x1 > width && x2 > width) || (y1 > height && y2 > height)
    if (isOut) continue
    context.moveTo(x1, y1)
    context.lineTo(x2, y2)
  }
  context.strokeStyle = colours.line
  context.lineWidth = 1
  context.stroke()
  return end < edges.length ? end : undefined
}

/** Draws the links of the marked file, stronger than the others. */
export function drawMarkedLinks(
  context: OffscreenCanvasRenderingContext2D,
  { places, camera, size, colours, marked, near }: Picture,
): void {
  if (marked === undefined) return
  const at = (place: number): [number, number] => [
    (places[2 * place]! - camera.x) * camera.scale + size.width / 2,
    (places[2 * place + 1]! - camera.y) * camera.scale + size.height / 2,
  ]
  context.beginPath()
  for (const other of near) {
    context.moveTo(...at(marked))
    context.lineTo(...at(other))
  }
  context.strokeStyle = colours.link
  context.lineWidth = 1.5
  context.stroke()
}
