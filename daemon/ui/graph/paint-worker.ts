import { createGraphPainter } from './graph-painter.ts'
import type { Picture } from './picture.ts'

/** What the worker is told: its canvas first, then what of the picture has changed. */
export type PaintOrder = { canvas: OffscreenCanvas } | { nth: number; changed: Partial<Picture> }

/** The worker's message when it has drawn all of a picture. */
export type PaintNews = { whole: number }

// The worker that draws files and links: a browser without graphics hardware takes seconds for those of a large vault. A
// file of its own, so that the build gives it an address on this origin.
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
