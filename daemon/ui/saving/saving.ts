import { passesByItself, secondsToRetry, type Refusal } from '../api/refusal.ts'
import { toEditorText, toFileText } from '../../src/edits/editor-text.ts'

/** A note as last agreed with the daemon: the file's text, and the baseline that names it. */
export type Stored = { content: string; baseline: string }

/** What stands at the note's path now, as just read. */
export type Theirs = Stored | 'deleted'

/**
 * Where the text on the screen stands in relation to the file.
 * `checking`: the daemon refused a save as stale and we read what is there; `gone`: deleted elsewhere, nothing unsaved.
 */
export type Saving = { stored: Stored; text: string } & (
  | { state: 'saved' | 'unsaved' | 'checking' | 'gone' }
  | { state: 'saving'; sent: string; attempt: number }
  | { state: 'failed'; refusal: Refusal; attempt: number }
  | { state: 'conflict'; theirs: Theirs }
)

export type SavingEvent =
  | { event: 'typed'; text: string }
  | { event: 'save' | 'keep-mine' | 'take-theirs' }
  | { event: 'written'; baseline: string }
  | { event: 'refused'; refusal: Refusal }
  | { event: 'read'; theirs: Theirs }
  | { event: 'merged'; text: string }
  | { event: 'restored'; text: string; base: Stored }

/** What is to be done after a transition. `over` is the baseline to replace, or nothing where the note must be new. */
export type SavingEffect =
  | { effect: 'put'; content: string; over: string | 'nothing' }
  | { effect: 'read' | 'keep-draft' | 'drop-draft' }
  | { effect: 'save-later'; seconds: number }

type Step = { saving: Saving; effects: SavingEffect[] }

const AUTOSAVE_SECONDS = 1

/** The state of a note just read. */
export function opened(stored: Stored): Saving {
  return { state: 'saved', stored, text: toEditorText(stored.content) }
}

/** One transition. No event and no order of events drops text that is in no file. */
export function next(saving: Saving, event: SavingEvent): Step {
  switch (event.event) {
    case 'typed':
      return typed(saving, event.text)
    case 'save':
      return saving.state === 'unsaved' || saving.state === 'failed' ? put(saving) : stay(saving)
    case 'written':
      return saving.state === 'saving' ? written(saving, event.baseline) : stay(saving)
    case 'refused':
      return refused(saving, event.refusal)
    case 'read':
      return read(saving, event.theirs)
    case 'keep-mine':
      return saving.state === 'conflict' ? keepMine(saving) : stay(saving)
    case 'take-theirs':
      return saving.state === 'conflict' ? takeTheirs(saving) : stay(saving)
    case 'merged':
      return saving.state === 'conflict' ? keepMine({ ...saving, text: event.text }) : stay(saving)
    case 'restored':
      return restored(saving, event)
  }
}

const stay = (saving: Saving): Step => ({ saving, effects: [] })
const isAsStored = ({ stored, text }: Saving) => toEditorText(stored.content) === text
const soon: SavingEffect = { effect: 'save-later', seconds: AUTOSAVE_SECONDS }
const attemptOf = (saving: Saving) => (saving.state === 'failed' || saving.state === 'saving' ? saving.attempt : 0)

function typed(saving: Saving, text: string): Step {
  if (text === saving.text) return stay(saving)
  const now = { ...saving, text }
  switch (now.state) {
    case 'saved':
      return { saving: { ...now, state: 'unsaved' }, effects: [{ effect: 'keep-draft' }, soon] }
    case 'unsaved':
      if (isAsStored(now)) return { saving: { ...now, state: 'saved' }, effects: [{ effect: 'drop-draft' }] }
      return { saving: now, effects: [{ effect: 'keep-draft' }, soon] }
    case 'gone':
      return { saving: { ...now, state: 'conflict', theirs: 'deleted' }, effects: [{ effect: 'keep-draft' }] }
    default:
      return { saving: now, effects: [{ effect: 'keep-draft' }] }
  }
}

function put(saving: Saving): Step {
  const { stored, text } = saving
  const content = toFileText(stored.content, text)
  return {
    saving: { state: 'saving', stored, text, sent: content, attempt: attemptOf(saving) },
    effects: [{ effect: 'put', content, over: stored.baseline }],
  }
}

function written({ text, sent }: Extract<Saving, { state: 'saving' }>, baseline: string): Step {
  const stored = { content: sent, baseline }
  const saving: Saving = { state: 'saved', stored, text }
  if (isAsStored(saving)) return { saving, effects: [{ effect: 'drop-draft' }] }
  return { saving: { ...saving, state: 'unsaved' }, effects: [{ effect: 'keep-draft' }, soon] }
}

function refused(saving: Saving, refusal: Refusal): Step {
  if (saving.state !== 'saving' && saving.state !== 'checking') return stay(saving)
  const { stored, text } = saving
  const moved = refusal.code === 'stale_doc' || refusal.code === 'not_found' || refusal.code === 'note_exists'
  if (saving.state === 'saving' && moved)
    return { saving: { state: 'checking', stored, text }, effects: [{ effect: 'read' }] }

  const attempt = attemptOf(saving)
  const failed: Saving = { state: 'failed', stored, text, refusal, attempt: attempt + 1 }
  if (!passesByItself(refusal)) return { saving: failed, effects: [{ effect: 'keep-draft' }] }
  const seconds = secondsToRetry(refusal, attempt)
  return { saving: failed, effects: [{ effect: 'keep-draft' }, { effect: 'save-later', seconds }] }
}

function read(saving: Saving, theirs: Theirs): Step {
  const { state, stored, text } = saving
  if (state === 'saved' || state === 'gone') {
    if (theirs === 'deleted') return stay({ state: 'gone', stored, text })
    return stay(opened(theirs))
  }
  if (state !== 'checking') return stay(saving)

  if (theirs === 'deleted') return stay({ state: 'conflict', stored, text, theirs })
  // Our own save may have landed although its answer was lost.
  if (toEditorText(theirs.content) === text) return { saving: opened(theirs), effects: [{ effect: 'drop-draft' }] }
  if (theirs.baseline === stored.baseline) return put(saving)
  return stay({ state: 'conflict', stored, text, theirs })
}

function keepMine({ text, stored, theirs }: Extract<Saving, { state: 'conflict' }>): Step {
  if (theirs !== 'deleted') return put({ state: 'unsaved', stored: theirs, text })
  const content = toFileText(stored.content, text)
  return {
    saving: { state: 'saving', stored, text, sent: content, attempt: 0 },
    effects: [{ effect: 'put', content, over: 'nothing' }],
  }
}

function takeTheirs({ stored, theirs }: Extract<Saving, { state: 'conflict' }>): Step {
  const effects: SavingEffect[] = [{ effect: 'drop-draft' }]
  if (theirs === 'deleted') return { saving: { state: 'gone', stored, text: toEditorText(stored.content) }, effects }
  return { saving: opened(theirs), effects }
}

function restored(saving: Saving, { text, base }: { text: string; base: Stored }): Step {
  if (saving.state !== 'saved') return stay(saving)
  const { stored } = saving
  const now: Saving = { state: 'unsaved', stored, text }
  if (isAsStored(now)) return { saving, effects: [{ effect: 'drop-draft' }] }
  if (base.baseline === stored.baseline) return { saving: now, effects: [{ effect: 'keep-draft' }, soon] }
  return { saving: { state: 'conflict', stored: base, text, theirs: stored }, effects: [{ effect: 'keep-draft' }] }
}

/** Whether words on the screen could be lost: they were refused, or contradict what is stored. A save on its way is not. */
export function isUnsafe(saving: Saving): boolean {
  return saving.state === 'failed' || saving.state === 'conflict' || saving.state === 'gone'
}
