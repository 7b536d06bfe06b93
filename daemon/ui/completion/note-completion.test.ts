import { CompletionContext } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import { linkIndex } from '../links/link-index.ts'
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
