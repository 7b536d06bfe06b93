import { reloadOnce } from '@svc/shared/design/load-part.ts'
import { lazy, type ComponentType, type ReactNode } from 'react'
import { missingPart, PartBoundary } from './part-boundary.tsx'

/** A part of the page that is loaded when it is first shown. If it cannot be loaded, `missing` is shown instead. */
export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  missing: ReactNode = missingPart,
): ComponentType<P> {
  const Part = lazy(load) as unknown as ComponentType<P>
  return function PartOfPage(props: P) {
    return (
      <PartBoundary missing={missing}>
        <Part {...props} />
      </PartBoundary>
    )
  }
}

/** Loads a part before it is shown. If that fails, the part shows the failure. */
export const loadAhead = (load: () => Promise<unknown>) => void load().catch(() => {})

// The editor is in the shadow root of its host, which `:focus` does not match.
const WRITING = 'dialog[open], :is(.editor-host, input, textarea, select):focus-within'

const MISSING = 'missing-part'

/**
 * Reloads the page if a part of it is missing, for example in an old tab after an update of the host. The bundler
 * reports here every part that failed to load. `probe` checks the host: if it is away or the visit has ended, the page
 * says that and stays. The reload does not interrupt somebody who writes, but they are told.
 */
export function reloadForMissingParts(probe: () => Promise<unknown>): void {
  window.addEventListener('vite:preloadError', () => {
    probe().then(
      () => {
        if (document.querySelector(WRITING)) window.dispatchEvent(new Event(MISSING))
        else reloadOnce()
      },
      () => {},
    )
  })
}

/** Calls `tell` for each missing part for which the page does not reload. Returns how to end that. */
export function onMissingPart(tell: () => void): () => void {
  window.addEventListener(MISSING, tell)
  return () => window.removeEventListener(MISSING, tell)
}
