import { isolateHistory } from '@codemirror/commands'
import type { EditorView } from '@codemirror/view'
import { writesAt } from '../editor/carets.ts'
import { followIn } from '../live-preview/rendered-widget.ts'
import { surroundingsOf } from '../live-preview/surroundings.ts'
import { cellField } from './cell-field.ts'
import { followCell } from './followed-cell.ts'
import { gridCells } from './grid-cells.ts'
import { keepTyping } from './keep-typing.ts'
import { setCell, type Change } from './table-changes.ts'
import { tableKey, type GridAct } from './table-keys.ts'
import { openTableMenu } from './table-menu.ts'
import { placeInCell, textAt, type Table } from './table-model.ts'
import { actOnTable, type Place } from './table-acts.ts'

/** A table and its source. `at` is its position in the note. */
export type ShownTable = { source: string; table: Table; at: number }

type Grid = {
  show: (next: ShownTable) => boolean
  enter: (side: 'above' | 'below') => void
  /**
   * Edits the cell at a position of the note, with the caret after the text `before`. False if there is no such cell.
   */
  resume: (at: number, before: string) => boolean
  /** The cells that overlap a range of the note. */
  cellsIn: (from: number, to: number) => HTMLElement[]
  destroy: () => void
}

const grids = new WeakMap<HTMLElement, Grid>()

export const gridIn = (dom: HTMLElement): Grid | undefined => grids.get(dom)

/** Edits the first cell of the first row (from above) or of the last row (from below) of a drawn table. */
export function enterTable(view: EditorView, { from, side }: { from: number; side: 'above' | 'below' }): boolean {
  for (const dom of view.contentDOM.querySelectorAll<HTMLElement>('.cm-table')) {
    if (view.posAtDOM(dom) !== from) continue
    gridIn(dom)?.enter(side)
    return true
  }
  return false
}

/**
 * The grid of one table. It has one text field, which moves to the edited cell; typed text goes into the note at once.
 * The edited cell is tracked by its position in the note, so it stays the same cell when others change the table.
 */
export function tableGrid(view: EditorView, first: ShownTable): HTMLElement {
  let { source, table } = first
  let cell: (Place & { anchor: number }) | undefined
  let unfollow = () => {}
  const root = document.createElement('div')
  root.className = 'cm-table'
  const cells = gridCells({ measure: () => view.requestMeasure(), around: () => surroundingsOf(view.state) })
  const field = cellField()
  const tools = document.createElement('button')
  tools.type = 'button'
  tools.className = 'cm-table-tools'
  tools.textContent = 'Table'
  tools.setAttribute('aria-haspopup', 'menu')
  tools.setAttribute('aria-label', 'Rows and columns')
  root.append(cells.scroller, tools)

  const start = () => view.posAtDOM(root)

  const write = (changes: readonly Change[], as: 'typing' | 'act') => {
    if (changes.length === 0 || view.state.readOnly) return
    const at = start()
    view.dispatch({
      changes: changes.map(({ from, to, insert }) => ({ from: at + from, to: at + to, insert })),
      userEvent: as === 'typing' ? 'input.type' : 'input',
      ...(as === 'act' && { annotations: isolateHistory.of('full') }),
    })
  }

  const close = () => {
    if (!cell) return
    cell = undefined
    unfollow()
    root.classList.remove('cm-table-edited')
    field.leave()
  }

  const open = ({ row, column }: Place, caret: 'start' | 'end' | 'all') => {
    const place = { row: clamp(row, table.rows.length), column: clamp(column, table.columns.length) }
    if (!cell) restBeside()
    edit(place, caret)
  }

  const edit = (place: Place, caret: 'start' | 'end' | 'all') => {
    const line = table.rows[place.row]!
    cell = { ...place, anchor: start() + (line.cells[place.column]?.start ?? line.to) }
    unfollow = followCell(view, (changes) => {
      if (cell) cell.anchor = changes.mapPos(cell.anchor, 1)
    })
    root.classList.add('cm-table-edited')
    const head = textAt(table, { row: 0, column: place.column }) || `Column ${place.column + 1}`
    field.enter(cells.at(place), {
      text: textAt(table, place),
      label: place.row === 0 ? `Head of column ${place.column + 1}` : `${head}, row ${place.row}`,
      caret,
    })
  }

  /**
   * Puts the note's cursor beside the table. Undo scrolls to the cursor, and a cursor inside the table would show the
   * source.
   */
  const restBeside = () => {
    const at = start()
    const beside = at + source.length < view.state.doc.length ? at + source.length + 1 : at - 1
    if (beside >= 0) view.dispatch({ selection: { anchor: beside } })
  }

  const leave = (side: 'above' | 'below') => {
    const at = start()
    const end = at + source.length
    if (side === 'above' && at === 0) return
    close()
    if (side === 'above') view.dispatch({ selection: { anchor: at - 1 }, scrollIntoView: true })
    else if (end < view.state.doc.length) view.dispatch({ selection: { anchor: end + 1 }, scrollIntoView: true })
    // There is no line after a table at the end of the note, and the next line would belong to the table: add two
    // lines.
    else view.dispatch({ changes: { from: end, insert: '\n\n' }, selection: { anchor: end + 2 }, scrollIntoView: true })
    view.focus()
  }

  const act = (wanted: GridAct) => {
    if (!cell) return
    const { row, column } = cell
    if (wanted.kind === 'leave') return leave(wanted.side)
    if (wanted.kind === 'show-markdown') {
      const anchor = start() + (table.rows[row]?.cells[column]?.from ?? 0)
      close()
      view.dispatch({ selection: { anchor } })
      return view.focus()
    }
    if (wanted.kind === 'delete-table') {
      const at = start()
      close()
      view.dispatch({ changes: { from: at, to: at + source.length }, selection: { anchor: at }, userEvent: 'delete' })
      return view.focus()
    }
    const outcome = actOnTable({ table, source }, { row, column }, wanted)
    write(outcome.changes, 'act')
    open(outcome.next, wanted.kind === 'go' ? (wanted.caret ?? 'all') : 'end')
  }

  field.onInput((value) => {
    if (cell) write(setCell(table, cell, value), 'typing')
  })
  field.onCaret(({ value, start: from, end }) => {
    if (!cell) return
    const place = (at: number) => start() + placeInCell(table, cell!, value.slice(0, at))
    view.state.facet(writesAt)(place(from), place(end))
  })
  field.onKey((event) => {
    if (!cell) return
    const wanted = tableKey(event, { view, table, place: cell, field: field.caret() })
    if (!wanted) return
    event.preventDefault()
    if (wanted.kind === 'menu') openMenu()
    else if (wanted.kind !== 'done') act(wanted)
  })

  const openMenu = () => {
    const place = cell ?? { row: 1, column: 0 }
    if (!cell) open(place, 'end')
    openTableMenu({ host: root, beside: tools, table, place, run: act, onClosed: () => cell && open(cell, 'end') })
  }
  tools.addEventListener('click', openMenu)
  cells.scroller.addEventListener('click', (event) => followIn(event, surroundingsOf(view.state)))
  root.addEventListener('mousedown', (event) => {
    const place = event.button === 0 && !isUsed(event) ? cells.placeOf(event.target) : undefined
    if (!place || field.isIn(event.target)) return
    event.preventDefault()
    open(place, 'end')
  })
  root.addEventListener('focusout', ({ relatedTarget }) => {
    if (!field.isMoving() && !(relatedTarget instanceof Node && root.contains(relatedTarget))) close()
  })

  /** Shows the table after a change. Returns false if this table does not contain the edited cell. */
  const show = (next: ShownTable): boolean => {
    const { anchor } = cell ?? {}
    if (anchor !== undefined && (anchor < next.at || anchor > next.at + next.source.length)) return false
    ;({ source, table } = next)
    const place = cell && (placeAt(table, anchor! - next.at) ?? { row: cell.row, column: cell.column })
    cells.show(table, { from: cell, to: place })
    if (!cell || !place) return true
    Object.assign(cell, { row: clamp(place.row, table.rows.length), column: clamp(place.column, table.columns.length) })
    if (field.isIn(cells.at(cell))) field.keep(textAt(table, cell))
    else open(cell, 'end')
    return true
  }

  cells.show(table, {})
  grids.set(root, {
    show,
    enter: (side) => open({ row: side === 'above' ? 0 : table.rows.length - 1, column: 0 }, 'start'),
    resume: (at, before) => {
      const place = cell ? undefined : placeAt(table, at - start())
      if (!place) return false
      edit({ row: place.row, column: clamp(place.column, table.columns.length) }, 'end')
      field.putCaret(before.length)
      return true
    },
    cellsIn: (from, to) => {
      const at = start()
      if (from > at + source.length || to < at) return []
      return table.rows.flatMap((line, row) =>
        line.cells
          .slice(0, table.columns.length)
          .flatMap(({ start, end }, column) =>
            at + start <= to && from <= at + end ? [cells.at({ row, column })] : [],
          ),
      )
    },
    destroy: () => {
      if (!cell) return
      const typing = { at: cell.anchor, before: field.beforeCaret() }
      close()
      // The editor has not drawn the replacement of this grid yet.
      queueMicrotask(() => keepTyping(view, typing, (dom) => gridIn(dom)?.resume(typing.at, typing.before) ?? false))
    },
  })
  return root
}

/** The place of the cell that contains a position. */
function placeAt({ rows }: Table, at: number): Place | undefined {
  for (const [row, { cells }] of rows.entries()) {
    const column = cells.findIndex(({ start, end }) => start <= at && at <= end)
    if (column >= 0) return { row, column }
  }
  return undefined
}

const clamp = (value: number, length: number) => Math.min(Math.max(value, 0), length - 1)

const isUsed = ({ target }: Event) => target instanceof Element && target.closest('a, button, input, textarea') !== null
