import { reloadOnce } from '@svc/shared/design/load-part.ts'
import { Component, type ReactNode } from 'react'

/**
 * Loads the page anew where a part of it is gone, such as in an old tab after an update of the host. The bundler reports
 * every part that could not be loaded here. Somebody who writes is not interrupted.
 */
export function reloadForMissingParts(): void {
  window.addEventListener('vite:preloadError', () => {
    if (!document.activeElement?.closest('.cm-editor')) reloadOnce()
  })
}

/** Tells what happened where a part of the page is missing or failed. React knows such a boundary only as a class. */
export class PartBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <main className="full-page">
        <section className="notice" role="alert">
          <h1>A part of this page could not be loaded</h1>
          <p>The host of this vault may have been updated. Words that were not saved yet stay on this device.</p>
          <div className="notice-actions">
            <button type="button" className="button primary" onClick={() => window.location.reload()}>
              Load it again
            </button>
          </div>
        </section>
      </main>
    )
  }
}
