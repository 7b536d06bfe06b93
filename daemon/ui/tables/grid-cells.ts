import { systemClock } from '@svc/shared/kit/clock.ts'
import { sanitize } from '../markdown/sanitize.ts'
import { fillCode } from '../note/fill-code.ts'
import { fillMath } from '../note/fill-math.ts'
import { renderCell, type Surroundings } from '../live-preview/surroundings.ts'
import type { Place } from './table-acts.ts'
import { textAt, type Align, type Table } from './table-model.ts'

type Deps = { measure: () => void; around: () => Surroundings }

// Text with only these characters needs no rendering.
const PLAIN = /^[\p{L}\p{N}\p{M} ,.;'"()+?-]*$/u
const SLICE_MS = 8

/** The elements of a table. A change keeps the element of the edited cell, and so the focus in it. */
export function gridCells({ measure, around }: Deps) {
  const scroller = document.createElement('div')
  scroller.className = 'table reading cm-rendered'
  const element = document.createElement('table')
  element.setAttribute('role', 'grid')
  element.setAttribute('aria-label', 'Table')
  scroller.append(element)
  const texts = new WeakMap<Element, string>()
  const waiting = new Map<HTMLElement, string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  /**
   * Renders waiting cells for a few milliseconds and leaves the rest to a later task, so that keys are handled in
   * between.
   */
  const renderSome = () => {
    timer = undefined
    const end = systemClock.monotonic() + SLICE_MS
    for (const [content, text] of waiting) {
      waiting.delete(content)
      content.replaceChildren(sanitize(renderCell(text, around())))
      void Promise.allSettled([fillMath(content), fillCode(content)]).then(measure)
      if (systemClock.monotonic() > end) break
    }
    measure()
    if (waiting.size > 0) timer ??= setTimeout(renderSome)
  }

  const write = (cell: HTMLElement, text: string) => {
    if (texts.get(cell) === text) return
    texts.set(cell, text)
    const content = cell.firstElementChild as HTMLElement
    content.textContent = text
    if (PLAIN.test(text)) waiting.delete(content)
    else waiting.set(content, text)
  }

  const newCell = (row: number): HTMLElement => {
    const cell = document.createElement(row === 0 ? 'th' : 'td')
    cell.setAttribute('role', row === 0 ? 'columnheader' : 'gridcell')
    const content = document.createElement('span')
    content.className = 'cm-cell-content'
    cell.append(content)
    return cell
  }

  const newRow = (row: number, columns: number): HTMLElement => {
    const line = document.createElement('tr')
    line.append(...Array.from({ length: columns }, () => newCell(row)))
    return line
  }

  const at = ({ row, column }: Place): HTMLElement => element.rows[row]!.cells[column]!

  return {
    scroller,
    at,
    /** The place of the cell that contains an element. */
    placeOf: (target: EventTarget | null): Place | undefined => {
      const cell = target instanceof Element ? target.closest<HTMLTableCellElement>('td, th') : null
      return cell && element.contains(cell)
        ? { row: (cell.parentElement as HTMLTableRowElement).rowIndex, column: cell.cellIndex }
        : undefined
    },
    /** Shows a table. `edited` has the place of the edited cell before and after the change. */
    show: (table: Table, edited: { from?: Place | undefined; to?: Place | undefined }) => {
      const { from, to } = edited
      const count = { rows: table.rows.length, columns: table.columns.length }
      // The head row always stays. Rows are added or removed above or below the edited cell, as in the table.
      resize(
        element,
        { to: count.rows, pivot: from && to && from.row > 0 && to.row > 0 ? [from.row, to.row] : [1, 1] },
        (row) => newRow(row, count.columns),
      )
      for (const line of element.rows)
        resize(line, { to: count.columns, pivot: from && to ? [from.column, to.column] : [0, 0] }, () =>
          newCell(line.rowIndex),
        )
      table.rows.forEach((_, row) =>
        table.columns.forEach((align, column) => {
          const cell = at({ row, column })
          setAlign(cell, align)
          write(cell, textAt(table, { row, column }))
        }),
      )
      if (waiting.size > 0 && timer === undefined) renderSome()
    },
  }
}

/** Adds or removes children until there are `to`. The child at `pivot[0]` moves to `pivot[1]`. */
function resize(
  parent: HTMLElement,
  { to, pivot: [before, after] }: { to: number; pivot: readonly [number, number] },
  make: (at: number) => HTMLElement,
) {
  const pivot = parent.children[before]
  if (pivot) {
    for (let at = before; at < after; at++) pivot.before(make(at))
    for (let at = before; at > after; at--) pivot.previousElementSibling!.remove()
  }
  while (parent.children.length > to) parent.lastElementChild!.remove()
  while (parent.children.length < to) parent.append(make(parent.children.length))
}

function setAlign(cell: HTMLElement, align: Align) {
  const name = align === 'none' ? '' : `align-${align}`
  if (name !== '' && cell.classList.contains(name)) return
  cell.classList.remove('align-left', 'align-center', 'align-right')
  if (name !== '') cell.classList.add(name)
}
