import { EditorSelection, EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { toggleMark } from './markdown-keys.ts'

/** Toggles a mark in a text, in which `[` and `]` enclose the selection or `|` is the cursor. Returns such a text. */
function pressed(marked: string, mark: string): string {
  const from = marked.search(/[[|]/)
  const to = marked.includes(']') ? marked.indexOf(']') - 1 : from
  const state = EditorState.create({
    doc: marked.replace(/[[\]|]/g, ''),
    selection: EditorSelection.single(from, to),
  })
  let after = state
  toggleMark(mark)({ state, dispatch: (transaction) => (after = transaction.state) })
  const { from: start, to: end } = after.selection.main
  const text = after.doc.toString()
  return start === end
    ? `${text.slice(0, start)}|${text.slice(start)}`
    : `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`
}

describe('marks around the selection', () => {
  it.each([
    ['a [b] c', '**', 'a **[b]** c'],
    ['a **[b]** c', '**', 'a [b] c'],
    ['a wo|rd c', '*', 'a *wo|rd* c'],
    ['a *wo|rd* c', '*', 'a wo|rd c'],
    ['**[b]**', '*', '***[b]***'],
    ['***[b]***', '**', '*[b]*'],
    ['***[b]***', '*', '**[b]**'],
    ['a ***wo|rd*** c', '*', 'a **wo|rd** c'],
    ['****[b]****', '*', '*****[b]*****'],
    ['|', '**', '**|**'],
  ])('%s with %s is %s', (before, mark, after) => expect(pressed(before, mark)).toBe(after))
})
