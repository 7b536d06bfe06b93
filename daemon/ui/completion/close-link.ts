import type { EditorView } from '@codemirror/view'

/** The part of a link that is completed: its name, or its heading or block. */
type Part = 'name' | 'place'

type Completed = { from: number; to: number; insert: string; part: Part }

/**
 * Replaces a part of a link with the chosen text, closes the link if it is open, and puts the cursor behind it. The
 * other parts of a closed link stay.
 */
export function withClosedLink(view: Pick<EditorView, 'state' | 'dispatch'>, completed: Completed): void {
  const { from, to, insert, part } = completed
  const rest = closedRest(view, to)
  const replaced = rest?.search(part === 'name' ? /\\?\||#|$/ : /\\?\||$/) ?? 0
  const kept = rest?.slice(replaced) ?? ''
  view.dispatch({
    changes: { from, to: to + replaced, insert: rest === undefined ? `${insert}]]` : insert },
    selection: { anchor: from + insert.length + kept.length + 2 },
    userEvent: 'input.complete',
  })
}

/** The text between a position in a link and the end of the link; undefined if the line does not close the link. */
export function closedRest({ state }: Pick<EditorView, 'state'>, at: number): string | undefined {
  return /^([^[\]]*)\]\]/.exec(state.sliceDoc(at, state.doc.lineAt(at).to))?.[1]
}
