import type { DaemonClient, Note, NoteRef } from '../api/daemon-client.ts'
import type { Drafts } from './drafts.ts'
import { noteSession, type NoteSession } from './note-session.ts'

export type NoteSessions = ReturnType<typeof noteSessions>

type Deps = { client: DaemonClient; drafts: Drafts }

/** The open notes of one vault. A note that is left before its text is saved stays here until it is. */
export function noteSessions({ client, drafts }: Deps) {
  const sessions = new Map<string, NoteSession>()
  const listeners = new Set<() => void>()
  let unsaved: readonly string[] = []
  let shown: NoteSession | undefined

  const tidy = () => {
    for (const [path, session] of sessions) {
      if (session === shown || session.unsettled()) continue
      session.close()
      sessions.delete(path)
    }
    const now = [...sessions.values()].filter((session) => session.unsettled()).map(({ ref }) => ref.path)
    if (now.join('\n') === unsaved.join('\n')) return
    unsaved = now
    for (const listener of listeners) listener()
  }

  return {
    find: (path: string) => sessions.get(path),
    open: (ref: NoteRef, note: Note): NoteSession => {
      const session = noteSession({ client, drafts, ref, note })
      sessions.set(ref.path, session)
      session.subscribe(tidy)
      return session
    },
    enter: (session: NoteSession) => {
      shown = session
      sessions.set(session.ref.path, session)
    },
    /** The screen shows something else now: unsaved text is saved at once, and the session goes when it is safe. */
    leave: (session: NoteSession) => {
      if (shown === session) shown = undefined
      session.tell({ event: 'save' })
      tidy()
    },
    /** Looks whether the note on the screen was changed elsewhere. */
    recheckShown: () => void shown?.recheck(),
    /** Ends the session of a note that was deleted here. */
    drop: (path: string) => {
      sessions.get(path)?.close()
      sessions.delete(path)
      tidy()
    },
    /** Paths of the notes with text that is in no file yet. */
    unsaved: () => unsaved,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
