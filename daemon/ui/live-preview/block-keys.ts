import { Prec } from '@codemirror/state'
import { keymap, type EditorView } from '@codemirror/view'
import { enterTable } from '../tables/table-grid.ts'
import { blockAt } from './block-preview.ts'

/**
 * Makes the arrow keys enter a drawn block, which the editor would skip: the cells of a table, or the source of another
 * block.
 */
export const blockKeys = Prec.high(
  keymap.of([
    { key: 'ArrowDown', run: (view) => enterFrom(view, { side: 'above', isEdge: isLastLine(view, true) }) },
    { key: 'ArrowUp', run: (view) => enterFrom(view, { side: 'below', isEdge: isLastLine(view, false) }) },
    { key: 'ArrowRight', run: (view) => enterFrom(view, { side: 'above', isEdge: isAtEdge(view, 'to') }) },
    { key: 'ArrowLeft', run: (view) => enterFrom(view, { side: 'below', isEdge: isAtEdge(view, 'from') }) },
  ]),
)

function enterFrom(view: EditorView, { side, isEdge }: { side: 'above' | 'below'; isEdge: boolean }): boolean {
  const { state } = view
  const { main } = state.selection
  if (!main.empty || !isEdge) return false
  const line = state.doc.lineAt(main.head)
  const next = side === 'above' ? line.to + 1 : line.from - 1
  if (next < 0 || next > state.doc.length) return false
  const block = blockAt(state, next)
  if (!block) return false
  if (block.isTable) return enterTable(view, { ...block, side })
  view.dispatch({ selection: { anchor: side === 'above' ? block.from : block.to }, scrollIntoView: true })
  return true
}

/** Whether the cursor is on the last (or first) screen line of its wrapped line. */
function isLastLine(view: EditorView, forward: boolean): boolean {
  const { main } = view.state.selection
  const line = view.state.doc.lineAt(main.head)
  const { head } = view.moveVertically(main, forward)
  return head === main.head || head < line.from || head > line.to
}

const isAtEdge = ({ state }: EditorView, edge: 'from' | 'to'): boolean =>
  state.selection.main.head === state.doc.lineAt(state.selection.main.head)[edge]
