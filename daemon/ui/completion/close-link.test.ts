import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { withClosedLink } from './close-link.ts'

/** Completes the text between the last `[[` or `#` and the cursor `▮` of a line. */
function completed(line: string, insert: string, part: 'name' | 'place'): string {
  const to = line.indexOf('▮')
  const from = Math.max(line.lastIndexOf('[[', to) + 2, part === 'place' ? line.lastIndexOf('#', to) + 1 : 0)
  let state = EditorState.create({ doc: `${line.replace('▮', '')}\nnext]]` })
  const view = { state, dispatch: (spec: Parameters<EditorState['update']>[0]) => (state = state.update(spec).state) }
  withClosedLink(view, { from, to, insert, part })
  const { head } = state.selection.main
  const text = state.doc.toString().replace(/\nnext\]\]$/, '')
  return `${text.slice(0, head)}▮${text.slice(head)}`
}

describe('a completed link', () => {
  it.each([
    ['See [[Pl▮ and more', 'Plan', 'See [[Plan]]▮ and more'],
    ['See [[Pl▮]] and', 'Plan', 'See [[Plan]]▮ and'],
    ['See [[▮|the plan]].', 'New', 'See [[New|the plan]]▮.'],
    ['See [[Ne▮Old\\|the plan]] |', 'New', 'See [[New\\|the plan]]▮ |'],
    ['See [[Ne▮#Part]].', 'New', 'See [[New#Part]]▮.'],
    ['See [[Pro▮ject]].', 'Project X', 'See [[Project X]]▮.'],
    ['See [[Pl▮ and [[Other]]', 'Plan', 'See [[Plan]]▮ and [[Other]]'],
  ])('%s with %s is %s', (before, insert, after) => {
    verifies('ui.completion')
    expect(completed(before, insert, 'name')).toBe(after)
  })
  it.each([
    ['[[Plan#Fi▮', 'First part', '[[Plan#First part]]▮'],
    ['[[Plan#Fi▮nal|end]]', 'First part', '[[Plan#First part|end]]▮'],
    ['[[Plan#Fi▮#deep]]', 'First part', '[[Plan#First part]]▮'],
  ])('%s with the place %s is %s', (before, insert, after) => expect(completed(before, insert, 'place')).toBe(after))
})
