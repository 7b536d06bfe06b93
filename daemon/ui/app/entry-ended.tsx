import type { Refusal } from '../api/refusal.ts'
import { failureText } from './failure-text.ts'
import { Modal } from './modal.tsx'

/** Covers the page once the entry has ended: nothing more can be read or saved before entering again. */
export function EntryEnded({ refusal }: { refusal: Refusal }) {
  const { title, advice } = failureText(refusal)
  const app = appAddress(refusal.details)
  return (
    <Modal label={title} onClose={() => undefined}>
      <h2>{title}</h2>
      <p>{advice}</p>
      <div className="modal-actions">
        <button type="button" className="button" onClick={() => window.location.reload()}>
          Reload this page
        </button>
        {app && (
          <a className="button primary" href={app}>
            Open it from the app again
          </a>
        )}
      </div>
    </Modal>
  )
}

/** The app's address if the gateway told it. The referrer is no source for it: any page may link here. */
function appAddress(details: unknown): string | undefined {
  const address = (details as { appUrl?: unknown } | null | undefined)?.appUrl
  return typeof address === 'string' && /^https?:\/\//.test(address) ? address : undefined
}
