import { decideEdit } from './decide-edit.ts'
import { findMentions } from './find-mentions.ts'
import { linkFactsOf } from './link-facts.ts'
import { readNoteFacts } from './note-facts.ts'
import { partsOfNote } from './parse-note.ts'
import { selectPart } from './select-part.ts'

/** What is done with the text of notes, by name: on the event loop for small ones, in a worker for large ones. */
export const noteJobs = {
  facts: ({ path, bytes, text }: { path: string; bytes: Uint8Array; text: string }) => readNoteFacts(path, bytes, text),
  parts: partsOfNote,
  links: linkFactsOf,
  mentions: findMentions,
  edit: decideEdit,
  select: selectPart,
}

export type NoteJobs = typeof noteJobs
