import { useEffect, useRef, useState, type PointerEvent } from 'react'
import { useLatest } from '../app/use-latest.ts'
import { fitted, moved, zoomed, type Camera, type Point, type Size } from './camera.ts'

/** A press that moves less than this is a click. */
const CLICK_REACH = 4
const WHEEL_SPEED = 0.0015

/** More than two device pixels per CSS pixel make no visible difference. */
const sizeOf = ({ clientWidth, clientHeight }: HTMLCanvasElement) => ({
  width: clientWidth,
  height: clientHeight,
  ratio: Math.min(window.devicePixelRatio, 2),
})

type Deps = {
  canvas: HTMLCanvasElement | null
  places: Float32Array | undefined
  onPoint: (at: Point) => void
  onClick: (at: Point, how: 'mouse' | 'touch') => void
}

/** Zoom by wheel, pinch and key, and movement by drag. Until somebody uses them, all files are kept in sight. */
export function useCamera({ canvas, places, onPoint, onClick }: Deps) {
  const [size, setSize] = useState<Size & { ratio: number }>({ width: 1, height: 1, ratio: 1 })
  const [chosen, setChosen] = useState<Camera>()
  const shown = (camera: Camera | undefined) => camera ?? fitted(places ?? new Float32Array(), size)
  // Several events may come before the next rendering, and each one goes on from the one before.
  const change = (next: (camera: Camera) => Camera) => setChosen((before) => next(shown(before)))
  const now = useLatest({ change, size })
  const fingers = useRef(new Map<number, Point>())
  const press = useRef<{ at: Point; hasMoved: boolean }>(undefined)

  useEffect(() => {
    if (!canvas) return
    const sizes = new ResizeObserver(() => setSize(sizeOf(canvas)))
    sizes.observe(canvas)
    const wheel = (event: WheelEvent) => {
      event.preventDefault() // otherwise the page would scroll, or be zoomed as a whole
      const by = Math.exp(-event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1) * WHEEL_SPEED)
      const at = { x: event.offsetX, y: event.offsetY }
      now.current.change((camera) => zoomed(camera, now.current.size, { by, at }))
    }
    canvas.addEventListener('wheel', wheel, { passive: false })
    return () => {
      sizes.disconnect()
      canvas.removeEventListener('wheel', wheel)
    }
  }, [canvas, now])

  const pointOf = ({ nativeEvent }: PointerEvent): Point => ({ x: nativeEvent.offsetX, y: nativeEvent.offsetY })
  const drag = (event: PointerEvent) => {
    const at = pointOf(event)
    const before = fingers.current.get(event.pointerId)
    if (!before || !press.current) return onPoint(at)
    const start = press.current.at
    if (!press.current.hasMoved && Math.hypot(at.x - start.x, at.y - start.y) < CLICK_REACH) return
    press.current.hasMoved = true
    const other = [...fingers.current].find(([finger]) => finger !== event.pointerId)?.[1]
    fingers.current.set(event.pointerId, at)
    if (!other) return change((camera) => moved(camera, { x: at.x - before.x, y: at.y - before.y }))
    const by = Math.hypot(at.x - other.x, at.y - other.y) / (Math.hypot(before.x - other.x, before.y - other.y) || 1)
    change((camera) => zoomed(camera, size, { by, at: { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 } }))
  }
  const lift = (event: PointerEvent) => {
    const isClick = press.current?.hasMoved === false && fingers.current.has(event.pointerId)
    fingers.current.delete(event.pointerId)
    if (fingers.current.size > 0) return
    press.current = undefined
    if (isClick && event.type === 'pointerup')
      onClick(pointOf(event), event.pointerType === 'mouse' ? 'mouse' : 'touch')
  }

  return {
    camera: shown(chosen),
    size,
    zoom: (by: number) =>
      change((camera) => zoomed(camera, size, { by, at: { x: size.width / 2, y: size.height / 2 } })),
    showAll: () => setChosen(undefined),
    /** Moves the plane so that a point of the screen becomes visible. */
    reveal: ({ x, y }: Point) => {
      const edge = 24
      const short = (at: number, room: number) => Math.max(0, edge - at) - Math.max(0, at - room + edge)
      const by = { x: short(x, size.width), y: short(y, size.height) }
      if (by.x !== 0 || by.y !== 0) change((camera) => moved(camera, by))
    },
    pointer: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        fingers.current.set(event.pointerId, pointOf(event))
        press.current ??= { at: pointOf(event), hasMoved: false }
        if (fingers.current.size > 1) press.current.hasMoved = true
      },
      onPointerMove: drag,
      onPointerUp: lift,
      onPointerCancel: lift,
    },
  }
}
