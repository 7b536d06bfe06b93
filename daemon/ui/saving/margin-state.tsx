import { useSyncExternalStore } from 'react'
import { ConnectionState } from '../app/connection-state.tsx'
import { withoutExtension } from '../links/link-index.ts'
import { useVault } from '../vaults/vault-context.ts'
import type { NoteSession } from './note-session.ts'
import { SaveState } from './save-state.tsx'

/** The head of the margin: the save state of this note, unsaved other notes, and the connection. */
export function MarginState({ session }: { session: NoteSession | undefined }) {
  const { sessions, open } = useVault()
  const unsaved = useSyncExternalStore(sessions.subscribe, sessions.unsaved)
  const elsewhere = unsaved.filter((other) => other !== session?.current().path && !sessions.isShown(other))
  return (
    <>
      {session && <SaveState session={session} />}
      {elsewhere.map((other) => (
        <button key={other} type="button" className="link-button warn" onClick={() => open(other)}>
          Not saved: {withoutExtension(other.split('/').at(-1)!)}
        </button>
      ))}
      <ConnectionState />
    </>
  )
}
