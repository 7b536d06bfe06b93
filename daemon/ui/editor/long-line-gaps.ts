import { Transaction } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'

// CodeMirror leaves a gap in a line of this length: only what is near the screen becomes elements.
const LONG_LINE = 20_000

/**
 * Makes CodeMirror draw the gaps of long lines anew. The first time it draws them as if lines were not wrapped, without
 * height. It then takes the whole line for as low as what is drawn of it, and lays out all of its megabytes. Gaps also
 * end at the cursor, so a cursor that was in a gap and is back makes new ones.
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
