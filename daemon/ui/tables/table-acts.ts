import {
  addColumn,
  addRow,
  alignColumn,
  moveColumn,
  moveRow,
  removeColumn,
  removeRow,
  type Change,
} from './table-changes.ts'
import type { Align, Table } from './table-model.ts'

export type Place = { row: number; column: number }

/** An action on a table, by key or from the menu, relative to the edited cell. */
export type TableAct =
  | { kind: 'go'; row: number; column: number; caret?: 'start' | 'end' | 'all' }
  | { kind: 'add-row' | 'add-column'; by: 0 | 1 }
  | { kind: 'move-row' | 'move-column'; by: -1 | 1 }
  | { kind: 'remove-row' | 'remove-column' }
  | { kind: 'align'; align: Align }

/** The changes of an action, and the cell to edit afterwards. Going below the last row adds a row. */
export function actOnTable(
  { table, source }: { table: Table; source: string },
  { row, column }: Place,
  act: TableAct,
): { changes: Change[]; next: Place } {
  switch (act.kind) {
    case 'go':
      return {
        changes: act.row >= table.rows.length ? addRow(table, table.rows.length) : [],
        next: { row: act.row, column: act.column },
      }
    case 'add-row': {
      const at = Math.max(row + act.by, 1)
      return { changes: addRow(table, at), next: { row: at, column } }
    }
    case 'add-column':
      return { changes: addColumn(table, column + act.by), next: { row, column: column + act.by } }
    case 'move-row': {
      const changes = moveRow(table, { row, by: act.by }, source)
      return { changes, next: { row: changes.length > 0 ? row + act.by : row, column } }
    }
    case 'move-column': {
      const changes = moveColumn(table, { column, by: act.by }, source)
      return { changes, next: { row, column: changes.length > 0 ? column + act.by : column } }
    }
    case 'remove-row':
      return { changes: removeRow(table, row), next: { row, column } }
    case 'remove-column':
      return { changes: removeColumn(table, column), next: { row, column } }
    case 'align':
      return { changes: alignColumn(table, column, act.align), next: { row, column } }
  }
}
