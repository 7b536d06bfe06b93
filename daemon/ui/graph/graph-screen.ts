import { drawNames } from './draw-names.ts'
import type { PaintNews, PaintOrder } from './paint-worker.ts'
import type { NamedPicture, Picture } from './picture.ts'

/**
 * Shows pictures of a graph. A worker draws files and links. The page itself draws the names above them: they are few,
 * and their font is loaded in the page.
 */
export function createGraphScreen(below: HTMLCanvasElement, above: HTMLCanvasElement) {
  const worker = new Worker(new URL('./paint-worker.ts', import.meta.url), { type: 'module' })
  const tell = (order: PaintOrder, transfer: Transferable[] = []) => worker.postMessage(order, transfer)
  const context = above.getContext('2d')!
  let told: Partial<Picture> = {}
  let nth = 0
  let frame = 0

  const canvas = below.transferControlToOffscreen()
  tell({ canvas }, [canvas])
  worker.addEventListener('message', ({ data }: MessageEvent<PaintNews>) => {
    if (data.whole === nth) above.dataset['drawn'] = 'whole'
  })

  const write = (picture: NamedPicture) => {
    const { width, height, ratio } = picture.size
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
    if (above.width !== across || above.height !== down) Object.assign(above, { width: across, height: down })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    drawNames(context, picture)
  }

  return {
    /** Draws a picture in the next frame. */
    show: (named: NamedPicture) => {
      above.dataset['drawn'] = 'part'
      nth += 1
      const { graph: _graph, ...picture } = named
      const changed = Object.fromEntries(
        Object.entries(picture).filter(([name, value]) => told[name as keyof Picture] !== value),
      )
      told = picture
      tell({ nth, changed })
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => write(named))
    },
    end: () => {
      cancelAnimationFrame(frame)
      worker.terminate()
    },
  }
}
