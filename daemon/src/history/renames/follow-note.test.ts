import { expect, test } from 'vitest'
import { followNote } from './follow-note.ts'

test('a note is followed through its moves; what is made where it was is another note', () => {
  const note = followNote(['a.md'])
  note.moved([{ from: 'a.md', to: 'b.md' }])
  note.moved([{ from: 'a.md', to: 'c.md' }])
  note.deleted('c.md', ['d1'])
  note.restored([{ from: 'c.md', to: 'd.md', deletion: 'd1' }])
  expect([...note.names()]).toEqual(['a.md', 'b.md'])
  expect(['a.md', 'b.md', 'c.md', 'd.md'].filter(note.mayBeAt)).toEqual(['b.md'])
})

test('two notes that change places in one commit are told apart', () => {
  const note = followNote(['a.md'])
  note.moved([
    { from: 'a.md', to: 'b.md' },
    { from: 'b.md', to: 'a.md' },
  ])
  expect(['a.md', 'b.md'].filter(note.mayBeAt)).toEqual(['b.md'])
})

test('a deleted note may come back where it was, or is restored elsewhere', () => {
  const note = followNote(['a.md'])
  note.deleted('a.md', ['d1'])
  note.moved([{ from: 'a.md', to: 'b.md' }])
  note.restored([{ from: 'a.md', to: 'c.md', deletion: 'd1' }])
  expect([...note.names()].filter(note.mayBeAt)).toEqual(['a.md', 'b.md', 'c.md'])
})
