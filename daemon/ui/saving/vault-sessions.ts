import type { DaemonClient, Note, NoteRef } from '../api/daemon-client.ts'
import type { KeptTexts, Lease } from './kept-texts.ts'
import { noteSession, type NoteSession } from './note-session.ts'
import { sendKept } from './send-kept.ts'

export type VaultSessions = ReturnType<typeof vaultSessions>

type Deps = { client: DaemonClient; kept: KeptTexts; vaultId: string }

/** The open notes of one vault. A note stays connected after it is left until the daemon has all of its text. */
export function vaultSessions({ client, kept, vaultId }: Deps) {
  const sessions = new Map<string, NoteSession>()
  const listeners = new Set<() => void>()
  /** Notes with text from an earlier visit that could not be sent. */
  let left: readonly string[] = []
  let unsaved: readonly string[] = []
  let shown: NoteSession | undefined
  /** Opened, and not on the screen yet. */
  let coming: NoteSession | undefined
  /** Notes that are about to be opened: they take over their stored text. */
  const opening = new Set<string>()
  let sending: { path: string; stop: () => Promise<unknown> } | undefined
  let running: Promise<void> | undefined

  const tidy = () => {
    for (const [path, session] of sessions) {
      const { path: now } = session.current()
      if (session !== shown && session !== coming && !session.hasUnsent()) {
        session.close()
        sessions.delete(path)
      } else if (now !== path) {
        // The note was moved. Another session of its new path, opened by whoever moved it, stays the one on the screen.
        sessions.delete(path)
        if (!sessions.has(now)) sessions.set(now, session)
      }
    }
    const open = [...sessions.values()].filter((session) => session.hasUnsent()).map((one) => one.current().path)
    const now = [...new Set([...open, ...left.filter((path) => !sessions.has(path))])]
    if (now.join('\n') === unsaved.join('\n')) return
    unsaved = now
    for (const listener of listeners) listener()
  }

  /** Sends text stored by earlier visits, for notes that are not open. */
  async function sendAll(): Promise<void> {
    const waiting: string[] = []
    for (const path of await kept.paths(vaultId)) {
      if (sessions.has(path) || opening.has(path)) continue
      const ref = { vaultId, path }
      const lease = await kept.takeOver(ref)
      if (!lease) continue
      const stop = new AbortController()
      const sent = sendKept({ lease, ref, signal: stop.signal })
      sending = { path, stop: () => (stop.abort(), sent) }
      if (!(await sent)) waiting.push(path)
      sending = undefined
    }
    left = waiting
    tidy()
  }

  return {
    find: (path: string) => sessions.get(path),
    open: (ref: NoteRef, note: Note, lease: Lease | undefined): NoteSession => {
      const session = noteSession({ client, kept, ref, note, lease })
      sessions.set(ref.path, session)
      coming = session
      session.subscribe(tidy)
      return session
    },
    enter: (session: NoteSession) => {
      shown = session
      coming = undefined
      sessions.set(session.current().path, session)
      tidy()
    },
    /** Called when the screen shows something else. */
    leave: (session: NoteSession) => {
      if (shown === session) shown = undefined
      session.keepNow()
      tidy()
    },
    /** Called after a change in the vault. */
    recheckShown: () => void shown?.recheck(),
    /** Ends the session of a note that was deleted here. */
    drop: (path: string) => {
      sessions.get(path)?.close()
      sessions.delete(path)
      tidy()
    },
    /** Takes over the stored text of a note, also while it is being sent. */
    takeOver: async (ref: NoteRef): Promise<Lease | undefined> => {
      opening.add(ref.path)
      try {
        if (sending?.path === ref.path) await sending.stop()
        return await kept.takeOver(ref)
      } finally {
        opening.delete(ref.path)
      }
    },
    sendLeft: () => (running ??= sendAll().finally(() => (running = undefined))),
    /** The host is awake again, or the person is active. */
    retry: () => {
      for (const session of sessions.values()) session.retry()
    },
    /** The host sleeps: an open note does not wake it. */
    pause: () => {
      for (const session of sessions.values()) session.pause()
    },
    keepNow: () => {
      for (const session of sessions.values()) session.keepNow()
    },
    /** Paths of the notes with text that the daemon does not have. */
    unsaved: () => unsaved,
    /** Whether the page can close without losing text: all unsent text is stored in this browser. */
    isKept: () => [...sessions.values()].every((session) => session.isKept()),
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
