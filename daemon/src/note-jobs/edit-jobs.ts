import { decideEdit } from '../edits/decide-edit.ts'
import { foldAuthors } from '../edits/fold-authors.ts'
import { restoredLines } from '../edits/restored-lines.ts'
import { selectPart } from '../edits/select-part.ts'
import { undoEdits } from '../edits/undo-edits.ts'
import { unifiedDiff } from '../edits/unified-diff.ts'

/** The jobs that compare and edit texts, by name. */
export const editJobs = {
  authors: foldAuthors,
  edit: decideEdit,
  select: selectPart,
  undo: undoEdits,
  diff: ({ before, after }: { before: string; after: string }) => unifiedDiff(before, after),
  restored: restoredLines,
}
