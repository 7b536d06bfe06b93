import { expect, test } from 'vitest'
import type { Author } from '../api/daemon-client.ts'
import { newsMarks } from './news-marks.ts'

const at = '2026-11-22T10:00:00.000Z'
const ben: Author = { kind: 'person', id: 'usr_ben', name: 'Ben' }
const cem: Author = { kind: 'person', id: 'usr_cem', name: 'Cem' }
const agent: Author = { kind: 'mcp_client', id: 'a', name: 'Archivist', person: { id: 'usr_ada', name: 'Ada' } }
const outside: Author = { kind: 'outside', id: 'outside', name: 'Outside edit' }
const marks = (...changed: [string, Author[]][]) =>
  newsMarks(
    changed.map(([path, authors]) => ({ path, at, authors })),
    'usr_ada',
  )

test.each<[string, Author[], ReturnType<typeof marks> extends Map<string, infer Mark> ? Mark : never]>([
  ['names a person', [ben], { by: 'people', words: 'Changed by Ben since you last read it' }],
  [
    'names an agent and whom it acted for',
    [agent],
    { by: 'agents', words: 'Changed by Archivist, an agent for you since you last read it' },
  ],
  [
    'shows people and agents together',
    [ben, agent],
    { by: 'both', words: 'Changed by Ben and Archivist, an agent for you since you last read it' },
  ],
  [
    'separates more authors clearly',
    [agent, ben, cem],
    { by: 'both', words: 'Changed by Archivist, an agent for you; Ben and Cem since you last read it' },
  ],
  [
    'does not take an outside edit for a name',
    [outside],
    { by: 'people', words: 'Changed by another program since you last read it' },
  ],
])('%s', (_what, authors, mark) => {
  expect(marks(['note.md', authors]).get('note.md')).toEqual(mark)
})

test('marks every folder above, with the number of its notes', () => {
  const found = marks(['a/b/one.md', [ben]], ['a/two.md', [agent]], ['three.md', [ben]])
  expect([...found.keys()].toSorted()).toEqual(['a', 'a/b', 'a/b/one.md', 'a/two.md', 'three.md'])
  expect(found.get('a')).toEqual({ by: 'both', words: '2 notes in it changed since you last read them' })
  expect(found.get('a/b')).toEqual({ by: 'people', words: '1 note in it changed since you last read it' })
})
