import type { NoteSession } from './note-session.ts'

/** Offers text that was kept from before a reload, or that just gave way to another version. */
export function KeptNotice({ session }: { session: NoteSession }) {
  const { kept, setAside } = session.current()
  if (kept)
    return (
      <div className="banner" role="alert">
        <p>
          Unsaved text from {new Date(kept.keptAt).toLocaleString()} was kept in this browser. Decide on it before you
          go on writing.
        </p>
        <button type="button" className="button primary" onClick={session.restoreKept}>
          Restore my text
        </button>
        <button type="button" className="button" onClick={session.discardKept}>
          Discard it
        </button>
      </div>
    )
  if (setAside)
    return (
      <div className="banner" role="status">
        <p>The note shows their version now.</p>
        <button type="button" className="button" onClick={session.bringBack}>
          Bring mine back
        </button>
        <button type="button" className="button" onClick={session.forgetSetAside}>
          Dismiss
        </button>
      </div>
    )
  return null
}
