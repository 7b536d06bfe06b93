import { useCallback } from 'react'
import { useBeforeUnload, useBlocker } from 'react-router'

/**
 * While `active`, leaving the page needs a confirmation: the browser's own dialog for a reload or a closed tab, and for
 * navigation in the app whatever the caller shows while `leaving`.
 */
export function useHoldPage(active: boolean) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    return active && currentLocation.pathname !== nextLocation.pathname
  })
  useBeforeUnload(useCallback((event: BeforeUnloadEvent) => active && event.preventDefault(), [active]))

  return { leaving: blocker.state === 'blocked', stay: () => blocker.reset?.(), leave: () => blocker.proceed?.() }
}
