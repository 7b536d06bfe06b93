import { useCallback } from 'react'
import { useBeforeUnload, useBlocker } from 'react-router'

/**
 * While `active`, leaving the page needs a confirmation. For a reload or a closed tab it is the browser's own dialog.
 * For navigation in the app, it is what the caller shows while `leaving`.
 */
export function useHoldPage(active: boolean) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    return active && currentLocation.pathname !== nextLocation.pathname
  })
  useBeforeUnload(useCallback((event: BeforeUnloadEvent) => active && event.preventDefault(), [active]))

  return { leaving: blocker.state === 'blocked', stay: () => blocker.reset?.(), leave: () => blocker.proceed?.() }
}
