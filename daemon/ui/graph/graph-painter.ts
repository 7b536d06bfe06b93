import { drawFiles } from './draw-files.ts'
import { drawLinks, drawMarkedLinks } from './draw-links.ts'
import { drawNames } from './draw-names.ts'
import type { Picture } from './picture.ts'

/** Links drawn in one frame, by how long frames take. The others follow in the next frames, unless the picture changes before. */
const LINKS_PER_FRAME = { least: 250, first: 1000, most: 4000 }
/** Between frames of these times the number of links stays as it is. */
const FRAME_MS = { short: 20, long: 34 }

/**
 * Draws pictures of a graph with a bounded amount of work per frame: while it moves, only part of the links are drawn.
 */
export function createGraphPainter(canvas: HTMLCanvasElement) {
  const context = canvas.getContext('2d')!
  let frame = 0
  let links = LINKS_PER_FRAME.first

  /** What is drawn takes its time after the call has returned, so the time to the next frame tells what it costs. */
  const adapt = (ms: number) => {
    if (ms > FRAME_MS.long) links = Math.max(LINKS_PER_FRAME.least, links / 2)
    else if (ms < FRAME_MS.short) links = Math.min(LINKS_PER_FRAME.most, links * 2)
  }

  const underneath = (picture: Picture, from: number, now: number) => {
    context.globalCompositeOperation = 'destination-over'
    const next = drawLinks(context, picture, { from, most: links })
    context.globalCompositeOperation = 'source-over'
    requestAnimationFrame((then) => adapt(then - now))
    frame = next === undefined ? 0 : requestAnimationFrame((then) => underneath(picture, next, then))
    canvas.dataset['drawn'] = next === undefined ? 'whole' : 'part'
  }

  const begin = (picture: Picture, now: number) => {
    const { width, height } = picture.size
    const ratio = Math.min(window.devicePixelRatio, 2)
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
    if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    drawMarkedLinks(context, picture)
    drawNames(context, picture, drawFiles(context, picture))
    underneath(picture, 0, now)
  }

  return {
    /** Draws a picture in the next frame. */
    paint: (picture: Picture) => {
      cancelAnimationFrame(frame)
      canvas.dataset['drawn'] = 'part'
      frame = requestAnimationFrame((now) => begin(picture, now))
    },
    end: () => cancelAnimationFrame(frame),
  }
}
