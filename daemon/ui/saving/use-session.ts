import { useEffect } from 'react'
import type { Note, NoteRef } from '../api/daemon-client.ts'
import { asRefusal } from '../api/refusal.ts'
import { useLoaded, type Loaded } from '../api/use-loaded.ts'
import { useServices } from '../app/services.ts'
import type { VaultSessions } from './vault-sessions.ts'
import type { NoteSession } from './note-session.ts'

/** The session of the note at a path: an open one, or a new one from what the daemon and this browser have. */
export function useSession(ref: NoteRef, sessions: VaultSessions) {
  const { client } = useServices()
  const load = async (signal: AbortSignal): Promise<NoteSession> => {
    const open = sessions.find(ref.path)
    if (open) return open
    const read = client.readNote(ref, signal)
    read.catch(() => {})
    const lease = await sessions.takeOver(ref)
    const note = await read.catch((thrown: unknown): Note => {
      // Unsent text is shown even if the note was deleted or the daemon does not respond.
      if (lease === undefined || typeof lease.client === 'string' || signal.aborted) {
        lease?.end()
        throw thrown
      }
      const { confirmed } = lease.client
      return { path: ref.path, content: confirmed, baseline: asRefusal(thrown).code, properties: {} }
    })
    if (signal.aborted) lease?.end()
    signal.throwIfAborted()
    const known = sessions.find(ref.path)
    if (known) lease?.end()
    return known ?? sessions.open(ref, note, lease)
  }
  const [loaded, reload] = useLoaded<NoteSession>(`note ${ref.vaultId}/${ref.path}`, async (signal) => {
    for (;;) {
      let isMine = false
      const opened = sessions.share(ref.path, () => {
        isMine = true
        return load(signal)
      })
      try {
        return await opened
      } catch (thrown) {
        // The pane that started opening the note may have aborted. This pane still needs the note, so try again.
        if (isMine || signal.aborted || !isAbort(thrown)) throw thrown
      }
    }
  })
  // A note that was moved has another path but the same session.
  const known = sessions.find(ref.path)
  const now: Loaded<NoteSession> = known ? { state: 'ready', value: known } : loaded
  const session = now.state === 'ready' ? now.value : undefined

  useEffect(() => {
    if (!session) return
    sessions.enter(session)
    void session.recheck()
    return () => sessions.leave(session)
  }, [session, sessions])

  return { loaded: now, reload }
}

const isAbort = (thrown: unknown): boolean => thrown instanceof DOMException && thrown.name === 'AbortError'
