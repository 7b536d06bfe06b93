import { syntaxTree } from '@codemirror/language'
import type { EditorState, Range } from '@codemirror/state'
import type { Decoration, DecorationSet } from '@codemirror/view'
import { isRevealed } from './revealed.ts'

type Part = { from: number; to: number }
type Deps = {
  /** The drawn blocks, at their positions in the current text. */
  drawn: DecorationSet
  window: Part
  again: (state: EditorState, block: Part & { drawn: Decoration }) => Range<Decoration> | undefined
}

/**
 * The blocks of a window that the parser has not reached yet after a change, because its time is limited. They stay
 * drawn: otherwise the cell in which somebody types would lose the focus. Pure.
 */
export function awaitedBlocks(state: EditorState, { drawn, window, again }: Deps): Range<Decoration>[] {
  const known = syntaxTree(state).length
  const found: Range<Decoration>[] = []
  if (known >= window.to) return found
  drawn.between(Math.max(window.from, known), window.to, (from, to, decoration) => {
    if (from < known || from === to || isRevealed(state, { from, to })) return
    const block = again(state, { from, to, drawn: decoration })
    if (block) found.push(block)
  })
  return found
}

/** The text of a table without the text after it: a table ends at a blank line. */
export function untilBlankLine(text: string): string {
  const end = text.search(/\n[ \t]*(?:\n|$)/)
  return end < 0 ? text : text.slice(0, end)
}
