import { decideEdit } from '../edits/decide-edit.ts'
import { foldAuthors } from '../edits/fold-authors.ts'
import { findMentions } from '../markdown/find-mentions.ts'
import { linkFactsOf } from '../markdown/link-facts.ts'
import { undoEdits } from '../edits/undo-edits.ts'
import { restoredLines } from '../edits/restored-lines.ts'
import { readYaml } from '../markdown/limited-yaml.ts'
import { linkPlacesOf } from '../markdown/link-places.ts'
import { readNoteFacts } from '../markdown/note-facts.ts'
import { partsOfNote } from '../markdown/parse-note.ts'
import { selectPart } from '../edits/select-part.ts'
import { unifiedDiff } from '../edits/unified-diff.ts'

/** The jobs on the text of notes and YAML files, by name. Small ones run on the event loop, large ones in a worker. */
export const noteJobs = {
  facts: ({ path, bytes, text }: { path: string; bytes: Uint8Array; text: string }) => readNoteFacts(path, bytes, text),
  parts: partsOfNote,
  links: linkFactsOf,
  linkPlaces: linkPlacesOf,
  mentions: findMentions,
  authors: foldAuthors,
  edit: decideEdit,
  select: selectPart,
  undo: undoEdits,
  diff: ({ before, after }: { before: string; after: string }) => unifiedDiff(before, after),
  restored: restoredLines,
  yaml: ({ text }: { text: string }) => readYaml(text),
}

export type NoteJobs = typeof noteJobs
