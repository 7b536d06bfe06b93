import { reloadOnce } from '@svc/shared/design/load-part.ts'
import { lazy, type ComponentType, type ReactNode } from 'react'
import { missingPart, PartBoundary } from './part-boundary.tsx'

/** A part of the page that is loaded when it is first shown. Where it cannot be, `missing` stands in its place. */
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

/** Loads a part before it is shown. Where that fails, showing it says so. */
export const loadAhead = (load: () => Promise<unknown>) => void load().catch(() => {})

/**
 * Loads the page anew where a part of it is gone, such as in an old tab after an update of the host. The bundler reports
 * here every part that could not be loaded. `probe` asks the host: where it is away or the visit has ended, the page says
 * that and stays. Somebody who writes is not interrupted.
 */
export function reloadForMissingParts(probe: () => Promise<unknown>): void {
  window.addEventListener('vite:preloadError', () => {
    probe().then(
      () => {
        if (!document.activeElement?.closest('.cm-editor')) reloadOnce()
      },
      () => {},
    )
  })
}
