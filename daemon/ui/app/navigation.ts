import { systemClock } from '@svc/shared/kit/clock.ts'
import { formatRoute, parseRoute, type Route } from './route.ts'

/** A scroll position. The block says what was read there, also when what is above it has another height by then. */
export type ScrollPlace = {
  /** Pixels from the beginning of the page. */
  top: number
  /** The line of the block that was read, and the pixels from the edge of the screen down to its beginning. */
  block: { line: number; below: number } | undefined
}

export type Navigation = ReturnType<typeof browserNavigation>

/** The browser's history as a store of routes. Opening the current route again also counts as navigation. */
export function browserNavigation(window: Window) {
  const listeners = new Set<() => void>()
  let route = parseRoute(window.location)
  const scrolled = new Map<unknown, ScrollPlace>()
  let entries = 0
  let cameBack = false

  // Scroll positions are stored by history entry: the browser restores only the scroll position of the window.
  const nameEntry = (address: string, how: 'pushState' | 'replaceState') => {
    cameBack = false
    window.history[how](`${systemClock.now().getTime()}-${++entries}`, '', address)
  }

  const kept = (): ScrollPlace | undefined => (cameBack ? scrolled.get(window.history.state) : undefined)

  const arrive = (next: Route) => {
    route = next
    for (const listener of listeners) listener()
  }
  window.addEventListener('popstate', () => {
    cameBack = true
    arrive(parseRoute(window.location))
  })

  return {
    current: () => route,
    /** Opens a route as a new entry of the history. */
    open: (next: Route) => {
      const address = formatRoute(next)
      const here = window.location.pathname + window.location.search + window.location.hash
      if (address !== here) nameEntry(address, 'pushState')
      arrive(next)
    },
    /** Opens a route in place of the current entry, for redirects. */
    replace: (next: Route) => {
      nameEntry(formatRoute(next), 'replaceState')
      arrive(next)
    },
    /** The scroll position of a page that was left. Recalled once, when the person comes back; `peek` leaves it. */
    scroll: {
      peek: kept,
      recall: (): ScrollPlace | undefined => {
        const place = kept()
        cameBack = false
        return place
      },
      keep: (place: ScrollPlace) => void scrolled.set(window.history.state, place),
    },
    back: () => window.history.back(),
    forward: () => window.history.forward(),
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
