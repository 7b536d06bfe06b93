import { Transaction } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'

// In a line of this length CodeMirror leaves gaps: it creates elements only for the text near the screen.
const LONG_LINE = 20_000

/**
 * Makes CodeMirror draw the gaps of long lines again. It draws the first gaps without height, as if lines were not
 * wrapped. It then takes the whole line to be as low as the drawn part of it, and lays out megabytes of text. A gap
 * also ends at the cursor, so moving the cursor into a gap and back creates new gaps.
 */
export function drawGapsAnew(view: EditorView): void {
  const { doc, selection } = view.state
  const { from, to } = view.viewport
  for (let line = doc.lineAt(from); line.from <= to; line = doc.line(line.number + 1)) {
    if (line.length > LONG_LINE) {
      const within = line.from + Math.floor(line.length / 2)
      const annotations = Transaction.addToHistory.of(false)
      view.dispatch({ selection: { anchor: within }, annotations })
      view.dispatch({ selection, annotations })
      return
    }
    if (line.number === doc.lines) return
  }
}
