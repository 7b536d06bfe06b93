import { ViewPlugin, type EditorView } from '@codemirror/view'
import { othersCarets, type Caret } from '../editor/carets.ts'
import { gridIn } from './table-grid.ts'

/** Where a caret is shown: in the cell that contains its head, or in a selected cell. */
type Spot = { cell: HTMLElement; caret: Caret; isHead: boolean }

/** Marks the cells of drawn tables in which others write or select. The text of a drawn table shows no carets. */
export const othersInCells = ViewPlugin.define((view) => {
  let shown: HTMLElement[] = []
  const measure = {
    key: {},
    read: () => spotsIn(view),
    write: (spots: readonly Spot[]) => {
      const marks = spots.map(({ cell, caret, isHead }) => markIn(cell, caret, isHead ? 'head' : 'selected'))
      for (const mark of shown) if (!marks.includes(mark)) mark.remove()
      shown = marks
    },
  }
  const look = () => {
    if (shown.length > 0 || view.state.field(othersCarets).length > 0) view.requestMeasure(measure)
  }
  look()
  return {
    update: look,
    destroy: () => {
      for (const mark of shown) mark.remove()
    },
  }
})

function spotsIn(view: EditorView): Spot[] {
  const carets = view.state.field(othersCarets)
  return [...view.contentDOM.querySelectorAll<HTMLElement>('.cm-table')].flatMap((dom) => {
    const grid = gridIn(dom)
    if (!grid) return []
    return carets.flatMap((caret) => {
      const { anchor, head } = caret
      const [headCell] = grid.cellsIn(head, head)
      const selected = anchor === head ? [] : grid.cellsIn(Math.min(anchor, head), Math.max(anchor, head))
      const cells = new Set(headCell ? [headCell, ...selected] : selected)
      return [...cells].map((cell) => ({ cell, caret, isHead: cell === headCell }))
    })
  })
}

/**
 * The mark of a caret in a cell. A new message from the person creates a new mark, because each mark fades after a
 * while.
 */
function markIn(cell: HTMLElement, { id, name, ink, at }: Caret, kind: 'head' | 'selected'): HTMLElement {
  const key = `${id} ${at} ${kind} ${ink}`
  for (const child of cell.children) if (child instanceof HTMLElement && child.dataset['caret'] === key) return child
  const mark = document.createElement('span')
  mark.className = `cm-their-cell cm-their-cell-${kind} cm-ink-${ink}`
  mark.dataset['caret'] = key
  mark.setAttribute('aria-hidden', 'true')
  if (kind === 'head') {
    const label = document.createElement('span')
    label.className = 'cm-their-name'
    label.textContent = name
    mark.append(document.createElement('i'), label)
  }
  cell.append(mark)
  return mark
}
