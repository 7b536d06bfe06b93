import { ChangeSet, Text } from '@codemirror/state'
import { expect, it } from 'vitest'
import { rebaseOver } from './rebase-over.ts'

const base = Text.of(['0123456789'])
const changesOf = (...edits: { from: number; to?: number; insert?: string }[]) => {
  let length = base.length
  return edits.map((edit) => {
    const changes = ChangeSet.of(edit, length, '\n')
    length = changes.newLength
    return changes
  })
}
const after = (text: Text, all: readonly ChangeSet[]) => all.reduce((now, changes) => changes.apply(now), text)

/** The text with both, by the order in which the daemon takes them. */
function both(ann: ChangeSet[], ben: ChangeSet): { annFirst: string; benFirst: string } {
  const { mine, other } = rebaseOver({ client: 'ann', changes: ann }, { client: 'ben', changes: ben })
  return {
    annFirst: other.apply(after(base, ann)).toString(),
    benFirst: after(ben.apply(base), mine).toString(),
  }
}

it('puts what the lower id inserts at a place first, whoever came first', () => {
  const [ben] = changesOf({ from: 5, insert: 'BEN' })
  expect(both(changesOf({ from: 5, insert: 'a' }, { from: 6, insert: 'nn' }), ben!)).toEqual({
    annFirst: '01234annBEN56789',
    benFirst: '01234annBEN56789',
  })
})

it('leads to one text for changes of every kind at neighbouring places', () => {
  const places = [3, 4, 5, 6]
  for (const from of places)
    for (const to of places.filter((to) => to >= from))
      for (const start of places)
        for (const end of places.filter((end) => end >= start))
          for (const insert of ['', 'B', 'BEN']) {
            const [ben] = changesOf({ from: start, to: end, insert })
            const { annFirst, benFirst } = both(
              changesOf({ from, to, insert: 'A' }, { from: from + 1, insert: 'N' }),
              ben!,
            )
            expect(annFirst, `${from}–${to} and ${start}–${end} ${insert}`).toBe(benFirst)
          }
})
