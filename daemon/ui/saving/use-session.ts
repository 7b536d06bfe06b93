import { useEffect } from 'react'
import type { NoteRef } from '../api/daemon-client.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { useServices } from '../app/services.ts'
import type { NoteSessions } from './note-sessions.ts'
import type { NoteSession } from './note-session.ts'

/** The session of the note at a path: the one that still has unsaved text, or a new one from what the daemon has. */
export function useSession(ref: NoteRef, sessions: NoteSessions) {
  const { client } = useServices()
  const [loaded, reload] = useLoaded<NoteSession>(`note ${ref.vaultId}/${ref.path}`, async (signal) => {
    const open = sessions.find(ref.path)
    if (open) return open
    const note = await client.readNote(ref, signal)
    return sessions.find(ref.path) ?? sessions.open(ref, note)
  })
  const session = loaded.state === 'ready' ? loaded.value : undefined

  useEffect(() => {
    if (!session) return
    sessions.enter(session)
    void session.recheck()
    return () => sessions.leave(session)
  }, [session, sessions])

  return { loaded, reload }
}
