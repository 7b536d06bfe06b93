import { useCallback, useEffect, useLayoutEffect, useState } from 'react'

// Lines kept above and below the visible ones, so that fast scrolling shows no gaps.
const MARGIN = 12
// The heights of `--row` in shared/design/tokens.css.
const FINE = 28
const COARSE = 44

/** Which of many lines of equal height are visible in their scroller, and a way to scroll to one. */
export function useWindow(scroller: HTMLElement | null, count: number) {
  const [view, setView] = useState({ top: 0, height: 800 })
  const rowHeight = useIsCoarse() ? COARSE : FINE

  useLayoutEffect(() => {
    if (!scroller) return
    let frame = 0
    const measure = () => {
      frame = 0
      setView({ top: scroller.scrollTop, height: scroller.clientHeight })
    }
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(measure)
    }
    const sizes = new ResizeObserver(soon)
    sizes.observe(scroller)
    scroller.addEventListener('scroll', soon, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      scroller.removeEventListener('scroll', soon)
    }
  }, [scroller])

  const reveal = useCallback(
    (at: number) => {
      if (!scroller) return
      const top = at * rowHeight
      const { scrollTop, clientHeight } = scroller
      if (top < scrollTop) scroller.scrollTo({ top })
      else if (top + rowHeight > scrollTop + clientHeight) scroller.scrollTo({ top: top + rowHeight - clientHeight })
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
  const [query] = useState(() => window.matchMedia('(pointer: coarse), (max-width: 40rem)'))
  const [isCoarse, setIsCoarse] = useState(query.matches)
  useEffect(() => {
    const follow = () => setIsCoarse(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [query])
  return isCoarse
}
