import { useState, useSyncExternalStore } from 'react'
import { asRefusal } from '../api/refusal.ts'
import { copyText } from '../app/copy-text.ts'
import { failureText } from '../app/failure-text.ts'
import type { LiveView } from '../live/live-view.ts'
import { useVault } from '../vaults/vault-context.ts'
import type { NoteSession } from './note-session.ts'
import { refusalText } from './save-words.ts'
import { useHolds } from './use-lasting.ts'

const UNSAFE_MS = 3000

/** The notice above the text: the problem with saving, what is safe, and what to do. One notice at a time. */
export function SaveNotice({ session }: { session: NoteSession }) {
  const { live, isGone } = useSyncExternalStore(session.subscribe, session.current)
  const save = live?.save
  const isOffline = useHolds(save?.state === 'offline' && save.hasUnsent, UNSAFE_MS)
  // In text that the host takes but cannot write to the file, a word is unsent for a moment.
  const isUnsent = useHolds(save?.state === 'failed' && save.hasUnsent, UNSAFE_MS)
  if (isGone || save?.state === 'gone' || (save?.state === 'refused' && save.code === 'not_found'))
    return <Gone session={session} />
  if (save?.state === 'refused') return <Refused session={session} code={save.code} />
  if (live && isOffline)
    return (
      <div className="banner" role="status">
        <p>
          <strong>The host of this vault cannot be reached.</strong> {keptWords(live)}
        </p>
        <button type="button" className="button" onClick={session.retry}>
          Try now
        </button>
      </div>
    )
  if (live && save?.state === 'failed') return <Failed code={save.code} unsaved={isUnsent ? keptWords(live) : ''} />
  return null
}

const keptWords = ({ canKeep }: LiveView) =>
  canKeep
    ? 'Keep writing. Your words stay on this device, and are saved as soon as the host takes them.'
    : 'This browser cannot keep your words: do not close the page before they are saved.'

function Failed({ code, unsaved }: { code: string; unsaved: string }) {
  const { title, advice } = refusalText(code)
  return (
    <div className="banner" role="status">
      <p>
        <strong>{title}.</strong> The host cannot write your words to the file. This is tried again. {unsaved} {advice}
      </p>
    </div>
  )
}

function Refused({ session, code }: { session: NoteSession; code: string }) {
  const { title, advice } = refusalText(code)
  return (
    <div className="banner" role="alert">
      <p>
        <strong>{title}.</strong> {session.hasUnsent() && 'Your words stay on this device. '}
        {advice}
      </p>
      <CopyText session={session} />
      <button type="button" className="button" onClick={session.retry}>
        Try again
      </button>
    </div>
  )
}

/** The notice for a note that was deleted while it was open. */
function Gone({ session }: { session: NoteSession }) {
  const { refreshTree } = useVault()
  const [problem, setProblem] = useState('')
  const { live } = session.current()
  const save = live?.save
  const who = save?.state === 'gone' ? save.who : undefined
  // While it had no connection, this page was not told whether the note was deleted or moved.
  const what = save?.state === 'gone' ? 'This note was deleted.' : 'This note was deleted or moved.'

  const createAgain = async () => {
    try {
      await session.createAgain()
      refreshTree()
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      // Somebody else has created it again: the unsent text is merged into that note.
      if (refusal.code === 'note_exists') session.retry()
      else setProblem(`${failureText(refusal).title}.`)
    }
  }

  return (
    <div className="banner" role="alert">
      <p>
        <strong>{who && who.kind !== 'outside' ? `${who.name} deleted this note.` : what}</strong> Its text is still on
        this page. {save?.state === 'gone' && save.rescued && 'What was typed last is among the deleted notes. '}
        {problem}
      </p>
      <CopyText session={session} />
      <button type="button" className="button primary" onClick={() => void createAgain()}>
        Create it again
      </button>
    </div>
  )
}

function CopyText({ session }: { session: NoteSession }) {
  const { announce } = useVault()
  const copy = () => void copyText(session.text(), announce)
  return (
    <button type="button" className="button" onClick={copy}>
      Copy my text
    </button>
  )
}
