import type { Refusal } from '../api/refusal.ts'
import { failureText } from './failure-text.ts'
import { Modal } from './modal.tsx'

/**
 * Covers the page once the entry has ended: nothing more can be read or saved before entering again. A reload leads
 * through sign-in and back to this place.
 */
export function EntryEnded({ refusal }: { refusal: Refusal }) {
  const { title, advice } = failureText(refusal)
  return (
    <Modal label={title}>
      <h2>{title}</h2>
      <p>{advice}</p>
      <div className="modal-actions">
        <button type="button" className="button primary" onClick={() => window.location.reload()}>
          Open it again
        </button>
      </div>
    </Modal>
  )
}
