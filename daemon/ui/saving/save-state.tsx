import { useSyncExternalStore } from 'react'
import { Icon } from '../app/icon.tsx'
import type { NoteSession } from './note-session.ts'
import { saveWords, type SaveWords } from './save-words.ts'
import { useLasting } from './use-lasting.ts'

// The state is announced once it is stable, so not after each key.
const SETTLED_MS = 1500

/** Whether the text on the screen is safe, at the head of the margin and for screen readers. */
export function SaveState({ session }: { session: NoteSession }) {
  const { live, isGone } = useSyncExternalStore(session.subscribe, session.current)
  const save =
    live?.save ?? (isGone ? ({ state: 'gone', who: undefined, rescued: false, hasUnsent: false } as const) : undefined)
  const words = saveWords(save, live?.canKeep ?? true)
  return (
    <>
      <span className="save-state" data-state={save?.state ?? 'saved'} data-tone={words.tone} title={words.detail}>
        {words.tone === 'good' && <Icon name="check" />}
        {words.tone === 'bad' && <Icon name="warning" />}
        {words.title}
      </span>
      <Spoken words={words} />
    </>
  )
}

/** Announces the save state: a loss at once, anything else in a pause. */
function Spoken({ words: { title, detail, tone } }: { words: SaveWords }) {
  const settled = useLasting(tone === 'quiet' ? '' : `${title}. ${detail}`, SETTLED_MS)
  const isBad = tone === 'bad'
  return (
    <>
      <span className="sr-only" role="status" aria-label="Save state">
        {isBad ? '' : settled}
      </span>
      <span className="sr-only" role="alert">
        {isBad ? settled : ''}
      </span>
    </>
  )
}
