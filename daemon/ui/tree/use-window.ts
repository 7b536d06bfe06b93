import { useCallback, useEffect, useLayoutEffect, useState, type RefObject } from 'react'

// Lines kept above and below what is in sight, so that fast scrolling shows no gaps.
const MARGIN = 12
const FINE = 28
const COARSE = 40

/** Which of many lines of one height are in sight of their scroller, and a way to bring one there. */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number) {
  const [view, setView] = useState({ top: 0, height: 800 })
  const rowHeight = useIsCoarse() ? COARSE : FINE

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    let frame = 0
    const measure = () => {
      frame = 0
      setView({ top: element.scrollTop, height: element.clientHeight })
    }
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(measure)
    }
    const sizes = new ResizeObserver(soon)
    sizes.observe(element)
    element.addEventListener('scroll', soon, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      element.removeEventListener('scroll', soon)
    }
  }, [scroller])

  const reveal = useCallback(
    (at: number) => {
      const element = scroller.current
      if (!element) return
      const top = at * rowHeight
      if (top < element.scrollTop) element.scrollTop = top
      else if (top + rowHeight > element.scrollTop + element.clientHeight)
        element.scrollTop = top + rowHeight - element.clientHeight
    },
    [scroller, rowHeight],
  )

  return {
    first: Math.max(0, Math.floor(view.top / rowHeight) - MARGIN),
    last: Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + MARGIN),
    rowHeight,
    reveal,
  }
}

function useIsCoarse(): boolean {
  const [query] = useState(() => window.matchMedia('(pointer: coarse)'))
  const [isCoarse, setIsCoarse] = useState(query.matches)
  useEffect(() => {
    const follow = () => setIsCoarse(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [query])
  return isCoarse
}
