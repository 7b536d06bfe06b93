import { layOut, type Shape } from './lay-out.ts'

/** What the thread says after some steps of a layout. */
export type LayoutNews = { places: Float32Array; isSettled: boolean }

// The page is told at most this often: each time it draws the whole picture anew.
const TELL_EVERY_MS = 80

// The thread that finds places for the files. A file of its own, so that the build gives it an address on this origin.
addEventListener('message', ({ data }: MessageEvent<Shape>) => {
  const layout = layOut(data)
  const work = () => {
    const until = performance.now() + TELL_EVERY_MS
    while (!layout.isSettled() && performance.now() < until) layout.step()
    const news: LayoutNews = { places: layout.places(), isSettled: layout.isSettled() }
    postMessage(news, { transfer: [news.places.buffer] })
    if (!news.isSettled) setTimeout(work)
  }
  work()
})
