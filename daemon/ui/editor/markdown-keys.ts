import { EditorSelection, type ChangeSpec, type StateCommand } from '@codemirror/state'
import type { KeyBinding } from '@codemirror/view'

/** Keys that mark the selection: Mod-B bold, Mod-I italic. Pressed again they remove the marks. */
export const markdownKeys: readonly KeyBinding[] = [
  { key: 'Mod-b', run: toggleMark('**'), preventDefault: true },
  { key: 'Mod-i', run: toggleMark('*'), preventDefault: true },
]

// One more star than bold and italic text has.
const LONGEST_RUN = 4

/** Puts a mark around each selection, or around the word at the cursor; removes an existing one. */
export function toggleMark(mark: string): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false
    const spec = state.changeByRange((range) => {
      const word = range.empty ? state.wordAt(range.head) : null
      const { from, to } = word ?? range
      const size = mark.length
      const outside =
        isMark(state.sliceDoc(Math.max(0, from - LONGEST_RUN), from), mark, 'end') &&
        isMark(state.sliceDoc(to, to + LONGEST_RUN), mark, 'start')
      const changes: ChangeSpec[] = outside
        ? [
            { from: from - size, to: from },
            { from: to, to: to + size },
          ]
        : [
            { from, insert: mark },
            { from: to, insert: mark },
          ]
      const shift = outside ? -size : size
      return { changes, range: EditorSelection.range(range.anchor + shift, range.head + shift) }
    })
    dispatch(state.update(spec, { userEvent: 'input', scrollIntoView: true }))
    return true
  }
}

/** Whether a text ends, or begins, with exactly this mark: `*` is not half of `**`, but `***` is both. */
function isMark(text: string, mark: string, side: 'start' | 'end'): boolean {
  const characters = side === 'end' ? [...text].toReversed() : [...text]
  const end = characters.findIndex((character) => character !== '*')
  const run = end === -1 ? characters.length : end
  return mark === '**' ? run >= 2 : run === 1 || run === 3
}
