import type { Shape } from './coarsen.ts'
import { layOut } from './lay-out.ts'

/** The worker's message after some steps of a layout: the positions, as alternating x and y. */
export type LayoutNews = { places: Float32Array; isSettled: boolean }

// The least time between two messages. Each message makes the page draw the whole picture again.
const TELL_EVERY_MS = { small: 80, large: 300 }
const LARGE = 2000

// The worker that computes the positions of files. A file of its own, so that the build gives it an address on this
// origin.
addEventListener('message', ({ data }: MessageEvent<Shape>) => {
  const layout = layOut(data)
  const every = data.count > LARGE ? TELL_EVERY_MS.large : TELL_EVERY_MS.small
  const work = () => {
    const until = performance.now() + every
    while (!layout.isSettled() && performance.now() < until) layout.step()
    const news: LayoutNews = { places: layout.places(), isSettled: layout.isSettled() }
    postMessage(news, { transfer: [news.places.buffer] })
    if (!news.isSettled) setTimeout(work)
  }
  work()
})
