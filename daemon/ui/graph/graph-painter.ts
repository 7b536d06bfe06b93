import { drawFiles } from './draw-files.ts'
import { drawLinks, drawMarkedLinks } from './draw-links.ts'
import { inSight, type Picture } from './picture.ts'

/**
 * The number of links to draw in one frame, adapted to the duration of frames. The remaining links are drawn in the
 * next frames, unless the picture changes first.
 */
const LINKS_PER_FRAME = { least: 250, first: 1000, most: 4000 }
/** If a frame takes between these times, the number of links stays the same. */
const FRAME_MS = { short: 20, long: 34 }

/**
 * Draws files and links with a bounded amount of work per frame: while the picture moves, only part of the links are
 * drawn. `onWhole` is called when all of a picture is drawn.
 */
export function createGraphPainter(canvas: OffscreenCanvas, onWhole: (nth: number) => void) {
  const context = canvas.getContext('2d')!
  let frame = 0
  let links = LINKS_PER_FRAME.first

  /**
   * A drawing call returns before the drawing is done, so the cost of a frame is measured as the time until the next
   * frame.
   */
  const adapt = (ms: number) => {
    if (ms > FRAME_MS.long) links = Math.max(LINKS_PER_FRAME.least, links / 2)
    else if (ms < FRAME_MS.short) links = Math.min(LINKS_PER_FRAME.most, links * 2)
  }

  const underneath = (picture: Picture, { from, now, nth }: { from: number; now: number; nth: number }) => {
    context.globalCompositeOperation = 'destination-over'
    const next = drawLinks(context, picture, { from, most: links })
    context.globalCompositeOperation = 'source-over'
    requestAnimationFrame((then) => adapt(then - now))
    if (next !== undefined) frame = requestAnimationFrame((then) => underneath(picture, { from: next, now: then, nth }))
    else onWhole(nth)
  }

  const begin = (picture: Picture, now: number, nth: number) => {
    const { width, height, ratio } = picture.size
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
    if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    drawMarkedLinks(context, picture)
    drawFiles(context, picture, inSight(picture))
    underneath(picture, { from: 0, now, nth })
  }

  /** Draws a picture in the next frame. */
  return (picture: Picture, nth: number) => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame((now) => begin(picture, now, nth))
  }
}
