import type { EditorState, Text } from '@codemirror/state'
import { toEditorText } from '../../src/edits/editor-text.ts'
import { stringOf } from '../../src/edits/whole-text.ts'
import { asRefusal, passesByItself, secondsToRetry } from '../api/refusal.ts'
import { liveUrl, type DaemonClient, type Note, type NoteRef } from '../api/daemon-client.ts'
import type { LiveLink } from '../live/live-link.ts'
import type { LiveView } from '../live/live-view.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import type { PaneId } from '../tabs/workspace.ts'
import type { KeptTexts, Lease } from './kept-texts.ts'

export type NoteSession = ReturnType<typeof noteSession>

/** The state of a note for the screen. */
export type NoteView = {
  path: string
  /** The note as last read from the daemon: its properties, and its text until a live session has it. */
  note: Note
  live: LiveView | undefined
  /** The live text; undefined while the note is only read. */
  doc: Text | undefined
  /** The note was deleted while it was only read. */
  isGone: boolean
}

/** The saved state of the editor of a note in a pane that does not show it: text, selection, undo history and top line. */
export type EditorMemory = {
  state: EditorState | undefined
  topLine: number
  stop: () => void
  /** Puts text in place of the selection, while the editor is open. */
  insert?: ((text: string) => void) | undefined
}

type Deps = {
  client: Pick<DaemonClient, 'readNote' | 'createNote' | 'flush' | 'probe'>
  kept: KeptTexts
  ref: NoteRef
  note: Note
  /** Unsent text of this note that was found in the browser. */
  lease?: Lease | undefined
}

/** The daemon does not read properties that are longer than about this. */
const LONGEST_READ = 70_000
/** The source of the properties. Only looks at the beginning of the text, because a note may have several megabytes. */
const frontMatterOf = (text = '') => splitFrontMatter(toEditorText(text.slice(0, LONGEST_READ))).yaml

let opened = 0

/** One open note. It is read-only until somebody edits it; from then on it has a live session. */
export function noteSession({ client, kept, ref, note, lease: found }: Deps) {
  const { vaultId } = ref
  const listeners = new Set<() => void>()
  let view: NoteView = { path: ref.path, note, live: undefined, doc: undefined, isGone: false }
  let lease = found
  let link: LiveLink | undefined
  let opening: Promise<LiveLink | undefined> | undefined
  let isClosed = false
  const memories = new Map<PaneId, EditorMemory>()
  /** A pane's own state of the note. */
  const memoryOf = (pane: PaneId): EditorMemory => {
    const memory = memories.get(pane) ?? { state: undefined, topLine: 1, stop: () => {} }
    memories.set(pane, memory)
    return memory
  }
  const forgetEditors = () => {
    for (const memory of memories.values()) memory.stop()
  }

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
    // The daemon parses the properties, so the note is read again after a change of its front matter.
    if (isWritten && frontMatterOf(view.doc?.sliceString(0, LONGEST_READ)) !== frontMatterOf(view.note.content))
      void reread()
  }

  async function open(): Promise<LiveLink | undefined> {
    const [{ liveLink }, taken] = await Promise.all([import('./live-parts.ts'), lease ?? kept.leaseOf(here())])
    if (isClosed) return void taken.end()
    lease = taken
    const { client: mine } = taken
    link = liveLink({
      openSocket: (path, how) => new WebSocket(liveUrl({ vaultId, path }, how)),
      path: view.path,
      client: typeof mine === 'string' ? { ...asRead(view.note), clientId: mine } : mine,
      keep: (unsent) => taken.keep(view.path, unsent),
      onLost: () => void client.probe().catch(() => {}),
      isHidden: () => document.hidden,
    })
    link.subscribe(follow)
    follow()
    return link
  }

  /** Opens the live session of the note, for editing. If its part of the page cannot be loaded, a later call tries again. */
  const goLive = (): Promise<LiveLink | undefined> => {
    if (opening) return opening
    const mine = open().catch((error: unknown) => {
      if (opening === mine) opening = undefined
      throw error
    })
    return (opening = mine)
  }

  const text = (): string => (view.doc ? stringOf(view.doc) : toEditorText(view.note.content))

  let newestRead = 0
  let shownRead = 0
  /** Reads the note again. Shows the answer unless that of a later read came first; repeats a read that fails in passing. */
  async function reread(nth = 0): Promise<void> {
    const mine = ++newestRead
    const answer = await client.readNote(here()).catch(asRefusal)
    if (isClosed || mine < shownRead) return
    if ('baseline' in answer) {
      shownRead = mine
      if (link || answer.baseline !== view.note.baseline || view.isGone) show({ note: answer, isGone: false })
      if (!link?.isAbsent()) return
      const created = toEditorText(answer.content)
      if (sent.includes(created)) await replaceLink(answer, created)
      else link.retry()
    } else if (passesByItself(answer)) {
      const again = () => void (mine === newestRead && !isClosed && reread(nth + 1))
      setTimeout(again, secondsToRetry(answer, nth) * 1000)
    } else if (answer.code === 'not_found' && !link) {
      shownRead = mine
      show({ isGone: true })
    }
  }

  function endLink(): void {
    void link?.close()
    lease?.end()
    link = lease = opening = undefined
  }

  /** The texts with which the deleted note was to be created again. The reply may be lost although the note has one. */
  let sent: string[] = []
  /** True while what was typed is on its way from a link that ended to the next one. */
  let isCarrying = false
  /** Begins anew with the note as it was created again. What was typed since then goes into it. */
  async function replaceLink(fresh: Note, created: string): Promise<void> {
    sent = []
    const [before, leaseBefore, typed] = [link, lease, text()]
    isCarrying = before !== undefined
    forgetEditors()
    const ended = before?.close()
    link = lease = opening = undefined
    show({ note: fresh, live: undefined, doc: undefined, isGone: false })
    if (!before) return
    try {
      const next = await goLive()
      if (!next) return
      next.carryOver({ from: created, to: typed })
      // What was typed stays stored for the old link until it is stored for the new one.
      await Promise.all([ended, next.keepNow()])
      await leaseBefore?.keep(view.path, undefined)
    } finally {
      isCarrying = false
      leaseBefore?.end()
      show({})
    }
  }

  /** Connects again. A note that may have been created again is read first: its link would add the same text to it. */
  const retry = () => (sent.length > 0 && link?.isAbsent() ? void reread() : link?.retry())

  if (found) void goLive()

  return {
    /** Identifies one opening of a note; its path may change. */
    id: ++opened,
    memoryOf,
    /** Remembers the line at the top of a pane. */
    keepTopLine: (pane: PaneId, line: number) => void (memoryOf(pane).topLine = line),
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
    /**
     * Called after a change in the vault: a note that is only read, or was deleted, is read again. A live session gets
     * changes by itself.
     */
    recheck: async () => {
      if (link?.isAbsent() ?? true) await reread()
    },
    /** Saves the live text to the note file. */
    saveNow: async () => {
      retry()
      if (link && !link.hasUnsent()) await client.flush(vaultId)
    },
    /** Creates a deleted note again with the local text. What is typed until the new session is open goes into it. */
    createAgain: async () => {
      const { toFileText } = await import('../../src/edits/file-text.ts')
      const created = text()
      sent.push(created)
      await client.createNote(here(), toFileText(view.note.content, created))
      const fresh = await client.readNote(here())
      // Another read may have found the new note first.
      if (sent.includes(created)) await replaceLink(fresh, created)
    },
    /** Discards the text that only this device has. */
    discard: async () => {
      await link?.discard()
      endLink()
      show({ live: undefined, doc: undefined })
    },
    /** Whether this device has text that the daemon does not have. */
    hasUnsent: () => isCarrying || (link?.hasUnsent() ?? false),
    /** Whether closing the page now would lose text. */
    isKept: () => !isCarrying && (link?.isKept() ?? true),
    /** Stores the unsent text, because the page may close. */
    keepNow: () => void link?.keepNow(),
    retry,
    pause: () => link?.pause(),
    close: () => {
      isClosed = true
      forgetEditors()
      endLink()
    },
  }
}

/** The snapshot of a note that was read by a plain request, without a version of a live session. */
const asRead = ({ content }: Note) => ({
  epoch: '',
  version: 0,
  acked: 0,
  confirmed: toEditorText(content),
  pending: [],
})
