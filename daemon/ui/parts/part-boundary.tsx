import { Component, type ReactNode } from 'react'

/**
 * Shows `missing` in place of its content if a part of that failed to load or to render. React supports such a boundary
 * only as a class.
 */
export class PartBoundary extends Component<{ missing: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? this.props.missing : this.props.children
  }
}

const again = (
  <div className="notice-actions">
    <button type="button" className="button primary" onClick={() => window.location.reload()}>
      Load it again
    </button>
  </div>
)

/** Replaces the whole page. */
export const missingPage = (
  <main className="full-page">
    <section className="notice" role="alert">
      <h1>This page could not be shown</h1>
      <p>The host of this vault may have been updated. Words that were not saved yet stay on this device.</p>
      {again}
    </section>
  </main>
)

/** Replaces the page beside the tree. */
export const missingView = (
  <section className="notice" role="alert">
    <h1>A part of this page could not be loaded</h1>
    <p>The host of this vault may have been updated. Words that were not saved yet stay on this device.</p>
    {again}
  </section>
)

/** Replaces one part; the rest of the page, including an open editor, stays as it is. */
export const missingPart = (
  <section className="notice" role="alert">
    <p>This part of the page could not be loaded. Words that were not saved yet stay on this device.</p>
    {again}
  </section>
)
