import { redo, undo } from '@codemirror/commands'
import type { EditorView } from '@codemirror/view'
import type { CellCaret } from './cell-field.ts'
import type { Place, TableAct } from './table-acts.ts'
import type { Table } from './table-model.ts'

/** An action in a grid. */
export type GridAct =
  TableAct | { kind: 'leave'; side: 'above' | 'below' } | { kind: 'show-markdown' } | { kind: 'delete-table' }

type Answer = GridAct | { kind: 'menu' } | { kind: 'done' }
type Deps = { view: EditorView; table: Table; place: Place; field: CellCaret }

/** The action of a key in a cell; undefined if the text field handles the key itself. */
export function tableKey(event: KeyboardEvent, { view, table, place, field }: Deps): Answer | undefined {
  if (event.isComposing) return undefined
  const { key, altKey, shiftKey } = event
  const isMod = event.ctrlKey || event.metaKey
  if (isMod && /^[zy]$/i.test(key)) {
    if (key.toLowerCase() === 'y' || shiftKey) redo(view)
    else undo(view)
    return { kind: 'done' }
  }
  if (isMod && shiftKey && key === 'Backspace') return { kind: 'remove-row' }
  if (isMod && altKey && key === 'Backspace') return { kind: 'remove-column' }
  if (shiftKey && key === 'F10') return { kind: 'menu' }
  if (isMod) return undefined
  if (altKey) return altered(key, shiftKey)
  return step(event, { table, place, field })
}

/** Alt with an arrow moves the row or column; Alt and Shift with an arrow add one. */
function altered(key: string, shiftKey: boolean): Answer | undefined {
  const by = key === 'ArrowUp' || key === 'ArrowLeft' ? -1 : 1
  if (key === 'ArrowUp' || key === 'ArrowDown')
    return shiftKey ? { kind: 'add-row', by: by === 1 ? 1 : 0 } : { kind: 'move-row', by }
  if (key === 'ArrowLeft' || key === 'ArrowRight')
    return shiftKey ? { kind: 'add-column', by: by === 1 ? 1 : 0 } : { kind: 'move-column', by }
  return undefined
}

function step({ key, shiftKey }: KeyboardEvent, { table, place, field }: Omit<Deps, 'view'>): Answer | undefined {
  const { row, column } = place
  const width = table.columns.length
  const isFirst = row === 0 && column === 0
  const before = column > 0 ? { row, column: column - 1 } : { row: row - 1, column: width - 1 }
  const after = column + 1 < width ? { row, column: column + 1 } : { row: row + 1, column: 0 }
  switch (key) {
    case 'Escape':
      return { kind: 'leave', side: 'below' }
    case 'Tab':
      if (shiftKey) return isFirst ? { kind: 'leave', side: 'above' } : { kind: 'go', ...before }
      return { kind: 'go', ...after }
    case 'Enter':
      return shiftKey ? undefined : { kind: 'go', row: row + 1, column }
    case 'ArrowUp':
      if (shiftKey || !field.isOnFirstLine) return undefined
      return row === 0 ? { kind: 'leave', side: 'above' } : { kind: 'go', row: row - 1, column, caret: 'end' }
    case 'ArrowDown':
      if (shiftKey || !field.isOnLastLine) return undefined
      return row + 1 === table.rows.length
        ? { kind: 'leave', side: 'below' }
        : { kind: 'go', row: row + 1, column, caret: 'end' }
    case 'ArrowLeft':
      return shiftKey || !field.isAtStart || isFirst ? undefined : { kind: 'go', ...before, caret: 'end' }
    case 'ArrowRight':
      return shiftKey || !field.isAtEnd || after.row === table.rows.length
        ? undefined
        : { kind: 'go', ...after, caret: 'start' }
    default:
      return undefined
  }
}
