import type { DaemonClient, Note, NoteRef } from '../api/daemon-client.ts'
import type { KeptTexts, Lease } from './kept-texts.ts'
import { noteSession, type NoteSession } from './note-session.ts'

export type VaultSessions = ReturnType<typeof vaultSessions>

type Deps = { client: DaemonClient; kept: KeptTexts; vaultId: string }

const MOST_PANES = 2
const MOST_RESTING = 6

/** The open notes of one vault. A note stays connected after it is left until the daemon has all of its text. */
export function vaultSessions({ client, kept, vaultId }: Deps) {
  const sessions = new Map<string, NoteSession>()
  const listeners = new Set<() => void>()
  /** Notes with text from an earlier visit that could not be sent. */
  let left: readonly string[] = []
  /** Those that the daemon does not take. Another attempt would get the same response, and wake a host that sleeps. */
  let refused = new Set<string>()
  let unsaved: readonly string[] = []
  /** The notes on the screen, and in how many panes each is. */
  const shown = new Map<NoteSession, number>()
  /** Opened but not on the screen yet; at most one for each pane. */
  let coming: readonly NoteSession[] = []
  const loading = new Map<string, Promise<NoteSession>>()
  /** Paths of the notes that have a tab. */
  let tabs: ReadonlySet<string> = new Set()
  /** Live notes that have a tab but are not on the screen, the most recent first. */
  let resting: readonly NoteSession[] = []
  /** Notes that are being opened. They take over their stored text themselves. */
  const opening = new Set<string>()
  let sending: { path: string; stop: () => Promise<unknown> } | undefined
  let running: Promise<void> | undefined

  const isNeeded = (session: NoteSession): boolean =>
    shown.has(session) || coming.includes(session) || session.hasUnsent() || rests(session)

  /** A note with a tab keeps its undo history. Live notes hold a connection, so only a few of them do. */
  const rests = (session: NoteSession): boolean =>
    tabs.has(session.current().path) && (!session.live() || resting.includes(session))

  const tidy = () => {
    for (const [path, session] of sessions) {
      const { path: now } = session.current()
      if (!isNeeded(session)) {
        session.close()
        sessions.delete(path)
      } else if (now !== path) {
        // The note was moved. If another session for its new path is already open, that one stays on the screen.
        sessions.delete(path)
        if (!sessions.has(now)) sessions.set(now, session)
      }
    }
    const open = [...sessions.values()].filter((session) => session.hasUnsent()).map((one) => one.current().path)
    const now = [...new Set([...open, ...left])]
    if (now.join('\n') === unsaved.join('\n')) return
    unsaved = now
    for (const listener of listeners) listener()
  }

  /** Sends text stored by earlier visits and by tabs that were closed. */
  async function sendAll(): Promise<void> {
    const waiting: string[] = []
    for (const path of await kept.paths(vaultId)) {
      if (opening.has(path)) continue
      if (refused.has(path)) {
        waiting.push(path)
        continue
      }
      const ref = { vaultId, path }
      // A change of the vault meanwhile makes the result of this attempt worthless.
      const refusedBefore = refused
      const lease = await kept.takeOver(ref)
      if (!lease) continue
      const stop = new AbortController()
      // Few visits find such text, so reading a note does not load what sends it.
      const sent = import('./live-parts.ts').then(
        ({ sendKept }) => sendKept({ lease, ref, signal: stop.signal }),
        () => (lease.end(), 'waiting' as const),
      )
      sending = { path, stop: () => (stop.abort(), sent) }
      const result = await sent
      sending = undefined
      if (result !== 'sent') waiting.push(path)
      if (result === 'refused') refusedBefore.add(path)
    }
    left = waiting
    tidy()
  }

  return {
    find: (path: string) => sessions.get(path),
    open: (ref: NoteRef, note: Note, lease: Lease | undefined): NoteSession => {
      const session = noteSession({ client, kept, ref, note, lease })
      sessions.set(ref.path, session)
      coming = [session, ...coming].slice(0, MOST_PANES)
      session.subscribe(tidy)
      return session
    },
    /** Opens a note once, even when two panes request it at the same time. */
    share: (path: string, open: () => Promise<NoteSession>): Promise<NoteSession> => {
      const opened =
        loading.get(path) ??
        open().finally(() => {
          if (loading.get(path) === opened) loading.delete(path)
        })
      loading.set(path, opened)
      return opened
    },
    enter: (session: NoteSession) => {
      shown.set(session, (shown.get(session) ?? 0) + 1)
      coming = coming.filter((one) => one !== session)
      sessions.set(session.current().path, session)
      tidy()
    },
    /** Called when a pane shows something else. */
    leave: (session: NoteSession) => {
      const panes = (shown.get(session) ?? 1) - 1
      if (panes > 0) shown.set(session, panes)
      else shown.delete(session)
      resting = [session, ...resting.filter((one) => one !== session)].slice(0, MOST_RESTING)
      session.keepNow()
      tidy()
    },
    /** Names the notes that have a tab. */
    keepTabs: (paths: ReadonlySet<string>) => {
      tabs = paths
      tidy()
    },
    isShown: (path: string) => [...shown.keys()].some((session) => session.current().path === path),
    /** Called after a change in the vault. */
    recheckShown: () => {
      refused = new Set()
      for (const session of shown.keys()) void session.recheck()
    },
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
        const lease = await kept.takeOver(ref)
        if (lease) left = left.filter((path) => path !== ref.path)
        refused.delete(ref.path)
        return lease
      } finally {
        opening.delete(ref.path)
      }
    },
    sendLeft: () => (running ??= sendAll().finally(() => (running = undefined))),
    /** The host is awake again, or the person is active. */
    retry: () => {
      refused = new Set()
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
