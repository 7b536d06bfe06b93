import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { onPageColours } from '../app/page-colour.ts'
import { toPlane, toScreen, type Point } from './camera.ts'
import { nodeAt, nodeTowards } from './find-node.ts'
import { neighboursOf, type Graph } from './graph.ts'
import { graphColours } from './graph-colours.ts'
import { createGraphScreen } from './graph-screen.ts'
import { dotsOf } from './picture.ts'
import { useCamera } from './use-camera.ts'
import { useLayout } from '../graph-layout/use-layout.ts'

/** A pointer this many pixels from the middle of a file hits it; a finger is less exact than a mouse. */
const REACH = { mouse: 12, touch: 24 }
const STEP = 1.4
const arrows: Record<string, Point> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

type Props = {
  graph: Graph
  marked: number | undefined
  onMark: (at: number | undefined) => void
  onOpen: (at: number) => void
  found: ReadonlySet<number> | undefined
  byAgents: ReadonlySet<number>
}

/** The picture of a graph, which can be zoomed, moved and explored with pointer and keyboard. */
export default function GraphCanvas({ graph, marked, onMark, onOpen, found, byAgents }: Props) {
  const [canvas, setCanvas] = useState<HTMLCanvasElement | null>(null)
  const files = useRef<HTMLCanvasElement>(null)
  const screen = useRef<ReturnType<typeof createGraphScreen>>(undefined)
  const layout = useLayout(graph)
  const places = layout?.places
  const [colours, setColours] = useState(graphColours)
  useEffect(() => onPageColours(() => setColours(graphColours())), [])

  const hit = (at: Point, how: keyof typeof REACH) =>
    places && nodeAt(places, toPlane(view.camera, view.size, at), REACH[how] / view.camera.scale)
  const view = useCamera({
    canvas,
    places,
    onPoint: (at) => onMark(hit(at, 'mouse')),
    onClick: (at, how) => {
      const file = hit(at, how)
      // A finger cannot point without touching: the first touch shows what the second one opens.
      if (file === undefined || (how === 'touch' && file !== marked)) onMark(file)
      else onOpen(file)
    },
  })
  const { camera, size } = view
  const near = useMemo(() => (marked === undefined ? new Set<number>() : neighboursOf(graph, marked)), [graph, marked])

  useEffect(() => {
    if (!canvas || !files.current) return
    const made = createGraphScreen(files.current, canvas)
    screen.current = made
    return made.end
  }, [canvas])
  useEffect(() => {
    if (places)
      screen.current?.show({ graph, dots: dotsOf(graph), places, camera, size, colours, marked, near, found, byAgents })
  }, [graph, places, camera, size, colours, marked, near, found, byAgents])

  const goTo = (at: number | undefined) => {
    if (at === undefined || !places) return
    onMark(at)
    view.reveal(toScreen(camera, size, { x: places[2 * at]!, y: places[2 * at + 1]! }))
  }
  const press = (event: KeyboardEvent) => {
    const direction = arrows[event.key]
    if (direction && places) goTo(marked === undefined ? 0 : nodeTowards(places, marked, direction))
    else if (event.key === 'Enter' && marked !== undefined) onOpen(marked)
    else if (event.key === 'Escape') onMark(undefined)
    else if (event.key === '+' || event.key === '=') view.zoom(STEP)
    else if (event.key === '-') view.zoom(1 / STEP)
    else if (event.key === '0') view.showAll()
    else return
    event.preventDefault()
  }

  return (
    <div className="graph-picture">
      <canvas ref={files} aria-hidden="true" />
      <canvas
        ref={setCanvas}
        role="application"
        aria-roledescription="graph"
        aria-label="Picture of the links. Arrow keys go from file to file, Enter opens, plus and minus zoom, 0 shows all."
        tabIndex={0}
        data-layout={layout === undefined ? 'none' : layout.isSettled ? 'settled' : 'moving'}
        onKeyDown={press}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && onMark(undefined)}
        {...view.pointer}
      />
      <div className="graph-zoom" role="group" aria-label="Zoom">
        <button type="button" className="icon-button" aria-label="Zoom in" onClick={() => view.zoom(STEP)}>
          +
        </button>
        <button type="button" className="icon-button" aria-label="Zoom out" onClick={() => view.zoom(1 / STEP)}>
          −
        </button>
        <button type="button" className="button" onClick={view.showAll}>
          Show all
        </button>
      </div>
      {!layout?.isSettled && <p className="graph-wait quiet">Arranging…</p>}
    </div>
  )
}
