import { systemClock } from '@svc/shared/kit/clock.ts'
import { formatRoute, parseRoute, type Route } from './route.ts'

export type Navigation = ReturnType<typeof browserNavigation>

/** The browser's history as a store of routes. Opening the current route again also counts as navigation. */
export function browserNavigation(window: Window) {
  const listeners = new Set<() => void>()
  let route = parseRoute(window.location)
  const scrolled = new Map<unknown, number>()
  let entries = 0
  let cameBack = false

  // Scroll positions are stored by history entry: the browser restores only the scroll position of the window.
  const nameEntry = (address: string, how: 'pushState' | 'replaceState') => {
    cameBack = false
    window.history[how](`${systemClock.now().getTime()}-${++entries}`, '', address)
  }

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
    /** The scroll position of a page that was left. Returned once, when the person comes back. */
    scroll: {
      recall: (): number | undefined => {
        const kept = cameBack ? scrolled.get(window.history.state) : undefined
        cameBack = false
        return kept
      },
      keep: (top: number) => void scrolled.set(window.history.state, top),
    },
    back: () => window.history.back(),
    forward: () => window.history.forward(),
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
