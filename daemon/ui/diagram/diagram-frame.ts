import { DIAGRAM_PATH, type DiagramColours } from '@svc/shared/diagram/diagram-page.ts'
import { afterTicks } from './after-ticks.ts'
import { readDiagramAnswer, type Picture } from './diagram-answer.ts'

// The first drawing takes seconds on a busy machine, as does loading: the script of the frame has about a megabyte.
const MOST_TICKS = 30

type Job = { text: string; colours: DiagramColours; resolve: (picture: Picture) => void; reject: (why: Error) => void }

/**
 * Draws diagrams one after the other in a frame without an origin. A frame that does not respond in time is removed,
 * and the next diagram gets a new one.
 */
export function createDiagramFrame() {
  const waiting: Job[] = []
  let frame: Promise<Frame> | undefined
  let isWorking = false
  let lastId = 0

  const work = async () => {
    if (isWorking) return
    isWorking = true
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      try {
        frame ??= openFrame()
        const opened = await frame
        job.resolve(await opened.draw({ id: ++lastId, text: job.text, colours: job.colours }))
      } catch (thrown) {
        job.reject(thrown instanceof Error ? thrown : new Error(String(thrown)))
        if (thrown instanceof NoAnswer) {
          void frame?.then(({ remove }) => remove()).catch(() => {})
          frame = undefined
        }
      }
    }
    isWorking = false
  }

  return {
    draw: (text: string, colours: DiagramColours): Promise<Picture> =>
      new Promise((resolve, reject) => {
        waiting.push({ text, colours, resolve, reject })
        void work()
      }),
  }
}

class NoAnswer extends Error {}
type Frame = Awaited<ReturnType<typeof openFrame>>

async function openFrame() {
  const element = document.createElement('iframe')
  element.className = 'diagram-frame'
  element.setAttribute('sandbox', 'allow-scripts')
  element.setAttribute('aria-hidden', 'true')
  element.tabIndex = -1
  element.title = 'Draws diagrams'
  element.src = DIAGRAM_PATH
  const remove = () => element.remove()

  /** The first message that `wanted` accepts. Messages of other windows are ignored. */
  const answer = <T>(wanted: (data: unknown) => T | undefined, problem: string): Promise<T> =>
    new Promise((resolve, reject) => {
      const stop = () => {
        window.removeEventListener('message', listen)
        cancel()
      }
      const listen = ({ source, data }: MessageEvent<unknown>) => {
        if (source !== element.contentWindow) return
        const value = wanted(data)
        if (value === undefined) return
        stop()
        resolve(value)
      }
      const cancel = afterTicks(MOST_TICKS, () => {
        stop()
        reject(new NoAnswer(problem))
      })
      window.addEventListener('message', listen)
    })

  const ready = answer(
    (data) => (readDiagramAnswer(data)?.kind === 'ready' ? true : undefined),
    'The page that draws diagrams could not be loaded.',
  )
  document.body.append(element)
  try {
    await ready
  } catch (thrown) {
    remove()
    throw thrown
  }

  return {
    remove,
    draw: async ({ id, text, colours }: { id: number; text: string; colours: DiagramColours }): Promise<Picture> => {
      const drawn = answer((data) => {
        const read = readDiagramAnswer(data)
        return read && read.kind !== 'ready' && read.id === id ? read : undefined
      }, 'It takes too long to draw.')
      // The frame has an opaque origin, which cannot be named.
      element.contentWindow?.postMessage({ id, text, colours }, '*')
      const read = await drawn
      if (read.kind === 'problem') throw new Error(read.problem)
      return read.picture
    },
  }
}
