import { useSyncExternalStore } from 'react'
import { failureText } from '../app/failure-text.ts'
import { Icon } from '../app/icon.tsx'
import type { NoteSession } from './note-session.ts'
import type { Saving } from './saving.ts'

/** Whether the text on the screen is in the file; a failure stays until it is. */
export function SaveState({ session }: { session: NoteSession }) {
  const { saving, draftLost } = useSyncExternalStore(session.subscribe, session.current)
  return (
    <>
      <span className="save-state" data-state={saving.state} role="status" aria-label="Save state">
        {saving.state === 'saved' && <Icon name="check" />}
        {(saving.state === 'failed' || saving.state === 'conflict') && <Icon name="warning" />}
        {words(saving)}
      </span>
      {saving.state === 'failed' && (
        <button type="button" className="link-button" onClick={() => session.tell({ event: 'save' })}>
          Try again
        </button>
      )}
      {draftLost && session.unsettled() && (
        <span className="save-state" data-state="failed" role="alert">
          This browser cannot keep unsaved text: do not close the page
        </span>
      )}
    </>
  )
}

function words(saving: Saving): string {
  switch (saving.state) {
    case 'saved':
      return 'Saved'
    case 'unsaved':
      return 'Unsaved'
    case 'saving':
      return saving.attempt > 0 ? 'Failed, trying again…' : 'Saving…'
    case 'checking':
      return 'Saving…'
    case 'failed':
      return `Failed (${failureText(saving.refusal).title})`
    case 'conflict':
      return 'Unsaved (conflict)'
    case 'gone':
      return 'Deleted elsewhere'
  }
}
