import { EditorView } from '@codemirror/view'
import { placeInLine } from './table-model.ts'

/** What somebody was typing: where its cell stands in the note, and the text before the caret. */
type Typing = { at: number; before: string }

/**
 * The grid of the edited cell is gone. The keys go to the same cell where its table was drawn anew, and else to the same
 * character of the Markdown that stands there now.
 */
export function keepTyping(view: EditorView, { at, before }: Typing, resume: (grid: HTMLElement) => boolean): void {
  const { activeElement, body } = document
  const isElsewhere = activeElement !== body && !view.dom.contains(activeElement)
  if (!view.dom.isConnected || isElsewhere) return
  if (Array.from(view.contentDOM.querySelectorAll<HTMLElement>('.cm-table')).some(resume)) return
  // A cursor in a drawn table would show its Markdown.
  if (at <= view.state.doc.length && !isDrawn(view, at)) {
    const line = view.state.doc.lineAt(at)
    const anchor = line.from + placeInLine(line.text, at - line.from, before)
    view.dispatch({ selection: { anchor }, scrollIntoView: true })
  }
  view.focus()
}

/** Whether a block is drawn in the place of the text at a position. */
function isDrawn(view: EditorView, at: number): boolean {
  let is = false
  for (const decorations of view.state.facet(EditorView.decorations))
    (typeof decorations === 'function' ? decorations(view) : decorations).between(at, at, (_from, _to, { spec }) => {
      is ||= (spec as { block?: boolean }).block === true
    })
  return is
}
