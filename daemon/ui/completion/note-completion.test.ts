import { CompletionContext } from '@codemirror/autocomplete'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import { expect, test } from 'vitest'
import { linkIndex } from '../links/link-index.ts'
import { verifies } from '../../../test/requirements.ts'
import { noteCompletion } from './note-completion.ts'

const tree = [
  {
    kind: 'note' as const,
    name: 'Plan.md',
    path: 'Plan.md',
    title: 'Plan',
    size: 1,
    modifiedAt: '2026-01-01T00:00:00Z',
  },
]

test('notes are offered after [[, and nothing as long as the tree is not known', () => {
  const offeredFrom = (known: typeof tree | undefined) => {
    const context = new CompletionContext(EditorState.create({ doc: 'See [[Pl' }), 8, false)
    return noteCompletion(() => ({ index: linkIndex(known), path: 'here.md' }))(context)
  }
  expect(offeredFrom(tree)?.options.map(({ label }) => label)).toEqual(['Plan'])
  // A result without options would be kept for the rest of the word.
  expect(offeredFrom(undefined)).toBeNull()
})

test.each([
  ['See [[C▮ and', 'C#.md', 'See [C#](C%23.md)▮ and'],
  ['See [[C▮#Part|the plan]].', 'C#.md', 'See [the plan](C%23.md#Part)▮.'],
  ['![[C▮]]', 'C#.md', '[C#](C%23.md)▮'],
  ['![[a▮]]', 'a#.png', '![a#.png](a%23.png)▮'],
])('%s, completed to %s, is %s', (line, path, after) => {
  verifies('ui.completion')
  const at = line.indexOf('▮')
  const common = { name: path, path, size: 1, modifiedAt: '2026-01-01T00:00:00Z' }
  const index = linkIndex([
    path.endsWith('.md') ? { kind: 'note', title: '', ...common } : { kind: 'attachment', ...common },
  ])
  let state = EditorState.create({ doc: line.replace('▮', '') })
  const found = noteCompletion(() => ({ index, path: 'here.md' }))(new CompletionContext(state, at, false))!
  const [option] = found.options
  const view = { state, dispatch: (spec: TransactionSpec) => (state = state.update(spec).state) }
  if (typeof option!.apply === 'function') option!.apply(view as never, option!, found.from, at)
  const { head } = state.selection.main
  expect(`${state.doc.sliceString(0, head)}▮${state.doc.sliceString(head)}`).toBe(after)
})
