import { formatRoute, parseRoute, type Route } from './route.ts'

export type Navigation = ReturnType<typeof browserNavigation>

/** The browser's history as a store of routes. A route that is opened again still counts as a move. */
export function browserNavigation(window: Window) {
  const listeners = new Set<() => void>()
  let route = parseRoute(window.location)

  const arrive = (next: Route) => {
    route = next
    for (const listener of listeners) listener()
  }
  window.addEventListener('popstate', () => arrive(parseRoute(window.location)))

  return {
    current: () => route,
    /** Opens a route as a new entry of the history. */
    open: (next: Route) => {
      const address = formatRoute(next)
      const here = window.location.pathname + window.location.search + window.location.hash
      if (address !== here) window.history.pushState(null, '', address)
      arrive(next)
    },
    /** Opens a route in place of the current entry, for redirects. */
    replace: (next: Route) => {
      window.history.replaceState(null, '', formatRoute(next))
      arrive(next)
    },
    back: () => window.history.back(),
    forward: () => window.history.forward(),
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
