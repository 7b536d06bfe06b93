import { drawFiles } from './draw-files.ts'
import { drawLinks, drawMarkedLinks } from './draw-links.ts'
import { drawNames } from './draw-names.ts'
import type { Picture } from './picture.ts'

/** Links drawn in one frame. The others follow in the next frames, unless the picture changes before. */
const LINKS_PER_FRAME = 3000

/**
 * Draws pictures of a graph with a bounded amount of work per frame: while it moves, only part of the links are drawn.
 */
export function createGraphPainter(canvas: HTMLCanvasElement) {
  const context = canvas.getContext('2d')!
  let frame = 0

  const underneath = (picture: Picture, from: number) => {
    context.globalCompositeOperation = 'destination-over'
    const next = drawLinks(context, picture, { from, most: LINKS_PER_FRAME })
    context.globalCompositeOperation = 'source-over'
    frame = next === undefined ? 0 : requestAnimationFrame(() => underneath(picture, next))
    canvas.dataset['drawn'] = next === undefined ? 'whole' : 'part'
  }

  const begin = (picture: Picture) => {
    const { width, height } = picture.size
    const ratio = Math.min(window.devicePixelRatio, 2)
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
    if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    drawMarkedLinks(context, picture)
    drawNames(context, picture, drawFiles(context, picture))
    underneath(picture, 0)
  }

  return {
    /** Draws a picture in the next frame. */
    paint: (picture: Picture) => {
      cancelAnimationFrame(frame)
      canvas.dataset['drawn'] = 'part'
      frame = requestAnimationFrame(() => begin(picture))
    },
    end: () => cancelAnimationFrame(frame),
  }
}
