import { EditorView } from '@codemirror/view'
import { placeInLine } from './table-model.ts'

/** The cell that somebody was typing in, as a position in the note, and the text of the cell before the caret. */
type Typing = { at: number; before: string }

/**
 * Called after the grid of the edited cell was removed. The focus goes to the same cell if its table was drawn again,
 * otherwise to the same character in the source.
 */
export function keepTyping(view: EditorView, { at, before }: Typing, resume: (grid: HTMLElement) => boolean): void {
  const { activeElement, body } = document
  const isElsewhere = activeElement !== body && !view.dom.contains(activeElement)
  if (!view.dom.isConnected || isElsewhere) return
  if (Array.from(view.contentDOM.querySelectorAll<HTMLElement>('.cm-table')).some(resume)) return
  // Leave the cursor outside a drawn table: inside, it would show the source.
  if (at <= view.state.doc.length && !isDrawn(view, at)) {
    const line = view.state.doc.lineAt(at)
    const anchor = line.from + placeInLine(line.text, at - line.from, before)
    view.dispatch({ selection: { anchor }, scrollIntoView: true })
  }
  view.focus()
}

/** Whether a block is drawn in place of the text at a position. */
function isDrawn(view: EditorView, at: number): boolean {
  let is = false
  for (const decorations of view.state.facet(EditorView.decorations))
    (typeof decorations === 'function' ? decorations(view) : decorations).between(at, at, (_from, _to, { spec }) => {
      is ||= (spec as { block?: boolean }).block === true
    })
  return is
}
