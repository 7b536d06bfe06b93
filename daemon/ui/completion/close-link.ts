import type { EditorView } from '@codemirror/view'

/** Inserts the chosen text into a link, closes the link if it is open, and puts the cursor behind it. */
export function withClosedLink(
  view: EditorView,
  { from, to, insert }: { from: number; to: number; insert: string },
): void {
  const isClosed = view.state.sliceDoc(to, to + 2) === ']]'
  view.dispatch({
    changes: { from, to, insert: isClosed ? insert : `${insert}]]` },
    selection: { anchor: from + insert.length + 2 },
    userEvent: 'input.complete',
  })
}
