import { useDeferredValue, useMemo, useSyncExternalStore } from 'react'
import type { NoteSession } from '../saving/note-session.ts'
import { SaveState } from '../saving/save-state.tsx'
import { useVault } from '../vaults/vault-context.ts'
import { useConnection } from './services.ts'
import { failureText } from './failure-text.ts'

type Props = { session: NoteSession | undefined; path: string | undefined }

/** The bottom line: is it saved, how long is it, is the daemon there, where are we. */
export function StatusLine({ session, path }: Props) {
  const { vault, who, sessions, open } = useVault()
  const connection = useConnection()
  const unsaved = useSyncExternalStore(sessions.subscribe, sessions.unsaved)
  const elsewhere = unsaved.filter((other) => other !== session?.ref.path)
  return (
    <footer className="status-line">
      {session && <SaveState session={session} />}
      {elsewhere.map((other) => (
        <button key={other} type="button" className="link-button warn" onClick={() => open(other)}>
          Not saved yet: {other}
        </button>
      ))}
      {session && <WordCount session={session} />}
      <span className="status-path" title={path}>
        {path ?? vault.displayName}
      </span>
      {who.person && <span className="status-person">{who.person.name}</span>}
      <span className="status-connection" data-state={connection.state} role="status" aria-label="Connection">
        {connection.state === 'online'
          ? who.mode === 'local'
            ? 'Local'
            : 'Connected'
          : failureText(connection.refusal).title}
      </span>
    </footer>
  )
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
const LONGEST_COUNTED = 100_000

function WordCount({ session }: { session: NoteSession }) {
  const { saving } = useSyncExternalStore(session.subscribe, session.current)
  const text = useDeferredValue(saving.text)
  return <span className="status-words">{useMemo(() => counted(text), [text])}</span>
}

/** Words as the language has them; of very long notes only the spaces are counted, which is fast. */
function counted(text: string): string {
  const count =
    text.length > LONGEST_COUNTED
      ? (text.match(/\S+/g)?.length ?? 0)
      : [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length
  return count === 1 ? '1 word' : `${count.toLocaleString()} words`
}
