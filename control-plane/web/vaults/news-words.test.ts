import { expect, test } from 'vitest'
import type { Vault } from '../answers.ts'
import { authorName, newsWords, tallyOf } from './news-words.ts'

const ben = { kind: 'person' as const, id: 'usr_ben', name: 'Ben' }
const archivist = { kind: 'mcp_client' as const, id: 'mcp_client', name: 'Archivist' }
const outside = { kind: 'outside' as const, id: 'outside', name: 'Outside edit' }
const vault = (rest: Partial<Vault>): Vault => ({ id: 'v', slug: 'v', displayName: 'V', ...rest })
const changedAt = '2026-01-01T00:00:00.000Z'

test.each<[Partial<Vault>, string]>([
  [{}, ''],
  [{ notes: 0 }, 'No notes yet'],
  [{ notes: 1 }, '1 note.'],
  [{ notes: 0, changedAt, news: [] }, '0 notes. Nothing new'],
  [{ notes: 1004, news: [{ author: ben, notes: 41 }] }, '1,004 notes. Since you last read: 41 changed by Ben'],
  [
    {
      notes: 182,
      news: [
        { author: archivist, notes: 9 },
        { author: outside, notes: 3 },
      ],
    },
    '182 notes. Since you last read: 9 changed by Archivist, 3 by another editor',
  ],
  [
    { notes: 9, news: [1, 2, 3, 4, 5].map((id) => ({ author: { ...ben, id: `usr_${id}` }, notes: 1 })) },
    '9 notes. Since you last read: 1 changed by Ben, 1 by Ben, 1 by Ben and 2 more',
  ],
])('%j is told as %s', (given, told) => expect(newsWords(vault(given), 'usr_ada')).toBe(told))

test('the reader is “You”, what has no name is described', () => {
  expect(authorName(ben, 'usr_ben')).toBe('You')
  expect(authorName(archivist, 'usr_ben')).toBe('Archivist')
  expect(authorName(outside, 'usr_ben')).toBe('Another editor')
})

test.each<[number[], number[], number]>([
  [[9, 3], [9, 3], 0],
  [[41], [12], 29],
  [[41, 5, 1], [10, 1, 1], 35],
  [Array<number>(14).fill(2), Array<number>(12).fill(1), 16],
])('a tally of %j has strokes %j and %i more', (notes, counts, more) => {
  const tally = tallyOf(notes.map((count) => ({ author: ben, notes: count })))
  expect([tally.strokes.map(({ count }) => count), tally.more]).toEqual([counts, more])
})
