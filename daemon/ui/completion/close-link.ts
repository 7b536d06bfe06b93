import type { EditorView } from '@codemirror/view'

/** Puts a choice into a link, closes the link where it is open, and goes on behind it. */
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
