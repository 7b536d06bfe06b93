import type { ChangeSet } from '@codemirror/state'
import { ViewPlugin, type EditorView } from '@codemirror/view'

type Mapped = (changes: ChangeSet) => void

/** For each editor, what tracks the cell that is being edited. */
const followed = new WeakMap<EditorView, Mapped>()

/** Keeps track of the edited cell when the note changes elsewhere. */
export const followCells = ViewPlugin.define(() => ({
  update: ({ docChanged, changes, view }) => {
    if (docChanged) followed.get(view)?.(changes)
  },
}))

/**
 * Tells `mapped` of all changes of the note until the returned function is called, or until another cell is followed.
 */
export function followCell(view: EditorView, mapped: Mapped): () => void {
  followed.set(view, mapped)
  return () => {
    // A cell loses the focus only after a cell of another table has got it, which has to stay followed.
    if (followed.get(view) === mapped) followed.delete(view)
  }
}
