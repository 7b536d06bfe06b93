import { RangeSetBuilder } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, type DecorationSet } from '@codemirror/view'
import { hasRightToLeft } from '../markdown/directions.ts'

const inOwnDirection = Decoration.line({ attributes: { dir: 'auto' } })

/** The lines in sight that have text written from right to left. */
function linesOf({ state: { doc }, visibleRanges }: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>()
  let done = -1
  for (const { from, to } of visibleRanges)
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at)
      // Of a very long line, only a part is in sight.
      const shown = doc.sliceString(Math.max(at, line.from), Math.min(line.to, to))
      if (line.from > done && hasRightToLeft(shown)) lines.add((done = line.from), line.from, inOwnDirection)
      at = line.to + 1
    }
  return lines.finish()
}

/** Lays out each line in the direction of its first letter; the caret and the arrow keys follow it. */
export const lineDirections = [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.define(
    (view) => ({
      lines: linesOf(view),
      update({ view, docChanged, viewportChanged }) {
        if (docChanged || viewportChanged) this.lines = linesOf(view)
      },
    }),
    { decorations: ({ lines }) => lines },
  ),
]
