import { createGraphPainter } from './graph-painter.ts'
import type { Picture } from './picture.ts'

/** A message to the worker: first its canvas, then the changed parts of the picture. */
export type PaintOrder = { canvas: OffscreenCanvas } | { nth: number; changed: Partial<Picture> }

/** The worker's message when it has drawn all of a picture. */
export type PaintNews = { whole: number }

// The worker that draws files and links. Without graphics hardware, drawing a large vault takes a browser seconds. This
// is a file of its own, so that the build gives it an address on this origin.
let paint: ReturnType<typeof createGraphPainter>
let picture: Partial<Picture> = {}

addEventListener('message', ({ data }: MessageEvent<PaintOrder>) => {
  if ('canvas' in data) {
    paint = createGraphPainter(data.canvas, (whole) => {
      const news: PaintNews = { whole }
      postMessage(news)
    })
    return
  }
  picture = { ...picture, ...data.changed }
  paint(picture as Picture, data.nth)
})
