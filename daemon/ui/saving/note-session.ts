import { asRefusal } from '../api/refusal.ts'
import type { DaemonClient, Note, NoteRef } from '../api/daemon-client.ts'
import type { Draft, Drafts } from './drafts.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { next, opened, type Saving, type SavingEffect, type SavingEvent, type Theirs } from './saving.ts'

export type NoteSession = ReturnType<typeof noteSession>

type Deps = {
  client: Pick<DaemonClient, 'readNote' | 'replaceNote' | 'createNote'>
  drafts: Drafts
  ref: NoteRef
  note: Note
}

// Keeping a large text with every letter would be felt, so it is kept in pauses.
const LARGE = 200_000
const LARGE_PAUSE_MS = 300

/** What the screen shows of a note besides its text: what the daemon made of it when it was last read. */
type View = {
  saving: Saving
  note: Note
  /** Text from before a reload that waits for a decision. */
  kept: Draft | undefined
  /** Text that gave way to the version of others just now, and can be brought back. */
  setAside: Omit<Draft, 'keptAt'> | undefined
  draftLost: boolean
}

/** One open note: carries out what the saving states ask for and tells its listeners of every change. */
export function noteSession({ client, drafts, ref, note }: Deps) {
  const listeners = new Set<() => void>()
  const kept = drafts.find(ref)
  let view: View = {
    saving: opened(note),
    note,
    kept: kept && kept.text !== opened(note).text ? kept : undefined,
    setAside: undefined,
    draftLost: false,
  }
  if (kept && !view.kept) drafts.drop(ref)
  let version = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let draftTimer: ReturnType<typeof setTimeout> | undefined

  const show = (change: Partial<View>) => {
    view = { ...view, ...change }
    version++
    for (const listener of listeners) listener()
  }

  const tell = (event: SavingEvent) => {
    // Text kept from before a reload is decided on first: what is typed now must not take its place.
    if (event.event === 'typed' && view.kept) return
    const { saving, effects } = next(view.saving, event)
    if (saving !== view.saving) show({ saving })
    for (const effect of effects) carryOut(effect)
  }

  const carryOut = (effect: SavingEffect) => {
    switch (effect.effect) {
      case 'put':
        return void put(effect.content, effect.over)
      case 'read':
        return void read()
      case 'save-later':
        clearTimeout(timer)
        timer = setTimeout(() => tell({ event: 'save' }), effect.seconds * 1000)
        return
      case 'keep-draft':
        clearTimeout(draftTimer)
        if (view.saving.text.length < LARGE) keepDraft()
        else draftTimer = setTimeout(keepDraft, LARGE_PAUSE_MS)
        return
      case 'drop-draft':
        clearTimeout(timer)
        clearTimeout(draftTimer)
        drafts.drop(ref)
    }
  }

  const keepDraft = () => {
    const { text, stored } = view.saving
    const draftLost = !drafts.keep(ref, { text, base: stored })
    if (draftLost !== view.draftLost) show({ draftLost })
  }

  const put = async (content: string, over: string) => {
    clearTimeout(timer)
    try {
      const baseline =
        over === 'nothing' ? await client.createNote(ref, content) : await client.replaceNote(ref, content, over)
      tell({ event: 'written', baseline })
      // Properties are the daemon's reading of the front matter, so a new front matter is read back.
      if (splitFrontMatter(content).yaml !== splitFrontMatter(view.note.content).yaml) await recheck()
    } catch (thrown) {
      tell({ event: 'refused', refusal: asRefusal(thrown) })
    }
  }

  const read = async () => {
    try {
      tell({ event: 'read', theirs: await readTheirs() })
    } catch (thrown) {
      tell({ event: 'refused', refusal: asRefusal(thrown) })
    }
  }

  const readTheirs = async (): Promise<Theirs> => {
    try {
      const fresh = await client.readNote(ref)
      show({ note: fresh })
      return { content: fresh.content, baseline: fresh.baseline }
    } catch (thrown) {
      if (asRefusal(thrown).code === 'not_found') return 'deleted'
      throw thrown
    }
  }

  /** Looks whether the file is still what we think. An answer that was overtaken by typing or a save is dropped. */
  const recheck = async () => {
    if (view.saving.state !== 'saved' && view.saving.state !== 'gone') return
    const asked = version
    try {
      const fresh = await client.readNote(ref)
      if (asked !== version) return
      if (fresh.baseline !== view.saving.stored.baseline || view.saving.state === 'gone')
        tell({ event: 'read', theirs: { content: fresh.content, baseline: fresh.baseline } })
      show({ note: fresh })
    } catch (thrown) {
      if (asked === version && asRefusal(thrown).code === 'not_found') tell({ event: 'read', theirs: 'deleted' })
    }
  }

  return {
    ref,
    current: () => view,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell,
    recheck,
    /** Takes the text kept from before a reload back into the note. */
    restoreKept: () => {
      const kept = view.kept
      show({ kept: undefined })
      if (kept) tell({ event: 'restored', text: kept.text, base: kept.base })
    },
    takeTheirs: () => {
      const { stored, text } = view.saving
      tell({ event: 'take-theirs' })
      if (view.saving.state === 'saved') show({ setAside: { text, base: stored } })
    },
    bringBack: () => {
      const { setAside } = view
      show({ setAside: undefined })
      if (setAside) tell({ event: 'restored', ...setAside })
    },
    forgetSetAside: () => show({ setAside: undefined }),
    discardKept: () => {
      drafts.drop(ref)
      show({ kept: undefined })
    },
    /** Whether closing the page now would leave text that is in no file. */
    unsettled: () => view.saving.state !== 'saved' && view.saving.state !== 'gone',
    close: () => clearTimeout(timer),
  }
}
