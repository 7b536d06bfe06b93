import { fail } from '@svc/shared/wire/errors.ts'
import type { NoteDocument } from '../note-document.ts'
import type { FileForm } from '../text-size.ts'
import { changesOf } from './compose-all.ts'
import type { LiveUpdate } from './live-update.ts'
import { openTextSize, type OpenTexts } from './open-texts.ts'
import { updateBytes } from './update-log.ts'

export type TextLimits = { maxNoteBytes: number; texts: Pick<OpenTexts, 'grow'> }

type Typed = { updates: readonly LiveUpdate[]; form: FileForm }

/** Refuses updates for which the note, or all open notes together, would become too large. */
export function refuseTooLarge(document: NoteDocument, { updates, form }: Typed, limits: TextLimits): void {
  const { maxNoteBytes: maxBytes, texts } = limits
  if (!document.fits(updates, { maxBytes, form })) throw fail('payload_too_large', { maxBytes })
  const changes = changesOf(updates)
  if (!changes) return
  const { text } = document.mark()
  let { lines } = text
  changes.iterChanges((from, to, _from, _to, inserted) => {
    lines += inserted.lines - 1 - (text.lineAt(to).number - text.lineAt(from).number)
  }, true)
  const grown =
    openTextSize({ characters: changes.newLength, lines }) -
    openTextSize({ characters: text.length, lines: text.lines })
  const remembered = updates.reduce((sum, update) => sum + updateBytes(update), 0)
  try {
    texts.grow({ from: document.size, to: document.size + grown + remembered })
  } catch (error) {
    // What makes the text no larger is never refused, although it is remembered for a while.
    if (grown > 0) throw error
  }
}
