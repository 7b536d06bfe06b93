import { WidgetType, type EditorView } from '@codemirror/view'
import { gridIn, tableGrid, type ShownTable } from './table-grid.ts'

/**
 * A table of the note as a grid of cells. After a change the same grid shows the new cells, so that a focused cell
 * keeps the focus.
 */
export class TableWidget extends WidgetType {
  readonly #shown: ShownTable

  constructor(shown: ShownTable) {
    super()
    this.#shown = shown
  }

  override eq(other: TableWidget): boolean {
    return other.#shown.source === this.#shown.source
  }

  override toDOM(view: EditorView): HTMLElement {
    return tableGrid(view, this.#shown)
  }

  override updateDOM(dom: HTMLElement): boolean {
    return gridIn(dom)?.show(this.#shown) ?? false
  }

  override destroy(dom: HTMLElement): void {
    gridIn(dom)?.destroy()
  }

  override ignoreEvent(): boolean {
    return true
  }
}
