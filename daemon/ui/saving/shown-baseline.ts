import type { NoteView } from './note-session.ts'

/**
 * The baseline of the text that is shown, if the note file has that text. The one that was read before a live session
 * is older than the text.
 */
export function shownBaseline({ note, live }: Pick<NoteView, 'note' | 'live'>): string | undefined {
  if (!live) return note.baseline
  return live.save.state === 'durable' ? live.save.baseline : undefined
}
