import type { EditorState, Text } from '@codemirror/state'
import { toEditorText } from '../../src/edits/editor-text.ts'
import { asRefusal } from '../api/refusal.ts'
import { liveUrl, type DaemonClient, type Note, type NoteRef } from '../api/daemon-client.ts'
import type { LiveLink } from '../live/live-link.ts'
import type { LiveView } from '../live/live-view.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import type { KeptTexts, Lease } from './kept-texts.ts'

export type NoteSession = ReturnType<typeof noteSession>

/** What the screen shows of a note. */
export type NoteView = {
  path: string
  /** The note as the daemon last answered it: its properties, and its text until there is a live one. */
  note: Note
  live: LiveView | undefined
  /** The live text; undefined while the note is only read. */
  doc: Text | undefined
  /** The note was deleted while it was only read. */
  isGone: boolean
}

/** The editor of a note between two times that it is on the screen: the text, the selection and what can be undone. */
export type EditorMemory = { state: EditorState | undefined; stop: () => void }

type Deps = {
  client: Pick<DaemonClient, 'readNote' | 'createNote' | 'flush' | 'probe'>
  kept: KeptTexts
  ref: NoteRef
  note: Note
  /** Unsent text of this note that was found in the browser. */
  lease?: Lease | undefined
}

let opened = 0

/** One open note. It is only read until somebody edits it; from then on its text is a live one. */
export function noteSession({ client, kept, ref, note, lease: found }: Deps) {
  const { vaultId } = ref
  const listeners = new Set<() => void>()
  let view: NoteView = { path: ref.path, note, live: undefined, doc: undefined, isGone: false }
  let lease = found
  let link: LiveLink | undefined
  let opening: Promise<LiveLink | undefined> | undefined
  let isClosed = false
  const memory: EditorMemory = { state: undefined, stop: () => {} }

  const here = (): NoteRef => ({ vaultId, path: view.path })
  const show = (change: Partial<NoteView>) => {
    view = { ...view, ...change }
    for (const listener of listeners) listener()
  }

  function follow(): void {
    if (!link) return
    const live = link.current()
    const before = view.live
    show({ live, doc: link.text(), path: live.path })
    const isWritten = live.save.state === 'durable' && before?.save.state !== 'durable'
    // Properties are the daemon's reading of the front matter, so a new front matter is read back.
    if (isWritten && splitFrontMatter(text()).yaml !== splitFrontMatter(view.note.content).yaml) void reread()
  }

  async function open(): Promise<LiveLink | undefined> {
    const [{ liveLink }, taken] = await Promise.all([import('../live/live-link.ts'), lease ?? kept.leaseOf(here())])
    if (isClosed) return void taken.end()
    lease = taken
    const { client: mine } = taken
    link = liveLink({
      openSocket: (path) => new WebSocket(liveUrl({ vaultId, path })),
      path: view.path,
      client: typeof mine === 'string' ? { ...asRead(view.note), clientId: mine } : mine,
      keep: (unsent) => taken.keep(view.path, unsent),
      onLost: client.probe,
      isHidden: () => document.hidden,
    })
    link.subscribe(follow)
    follow()
    return link
  }

  /** Turns the text into live text. */
  const goLive = (): Promise<LiveLink | undefined> => (opening ??= open())

  const text = (): string => view.doc?.toString() ?? toEditorText(view.note.content)

  async function reread(): Promise<void> {
    try {
      const fresh = await client.readNote(here())
      if (!isClosed && !link && fresh.baseline === view.note.baseline && !view.isGone) return
      show({ note: fresh, isGone: false })
    } catch (thrown) {
      if (asRefusal(thrown).code === 'not_found' && !link) show({ isGone: true })
    }
  }

  function endLink(): void {
    void link?.close()
    lease?.end()
    link = lease = opening = undefined
  }

  if (found) void goLive()

  return {
    /** Tells one opening of a note from another; its path may change. */
    id: ++opened,
    memory,
    current: () => view,
    text,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    goLive,
    live: () => link,
    /** Changes the text from outside the editor. */
    change: async (next: (now: string) => string) => (await goLive())?.change(next),
    /** Something in the vault has changed: a note that is only read is read again. A live one is told by itself. */
    recheck: async () => {
      if (!link) await reread()
    },
    /** Has everything that was typed written to the file. */
    saveNow: async () => {
      link?.retry()
      if (link && !link.hasUnsent()) await client.flush(vaultId)
    },
    /** Makes a note that was deleted again, with the text that is here. */
    createAgain: async () => {
      const { toFileText } = await import('../../src/edits/file-text.ts')
      await client.createNote(here(), toFileText(view.note.content, text()))
      const wasLive = link !== undefined
      memory.stop()
      await link?.discard()
      endLink()
      show({ note: await client.readNote(here()), live: undefined, doc: undefined, isGone: false })
      if (wasLive) await goLive()
    },
    /** Lets go of what is only on this device. */
    discard: async () => {
      await link?.discard()
      endLink()
      show({ live: undefined, doc: undefined })
    },
    /** Whether there is text here that the daemon does not have. */
    hasUnsent: () => link?.hasUnsent() ?? false,
    /** Whether closing the page now would lose text. */
    isKept: () => link?.isKept() ?? true,
    /** Writes down what is unsent: the page may go. */
    keepNow: () => void link?.keepNow(),
    retry: () => link?.retry(),
    pause: () => link?.pause(),
    close: () => {
      isClosed = true
      memory.stop()
      endLink()
    },
  }
}

/** What is known of a note that was read by a plain request: no version of a live session. */
const asRead = ({ content }: Note) => ({
  epoch: '',
  version: 0,
  acked: 0,
  confirmed: toEditorText(content),
  pending: [],
})
