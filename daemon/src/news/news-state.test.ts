import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import type { Author } from '../entry/author.ts'
import { NewsState, type NewsEntry } from './news-state.ts'

const ann: Author = { id: 'usr_ann', name: 'Ann' }
const ben: Author = { id: 'usr_ben', name: 'Ben' }
const tidy: Author = { id: 'mcp_client', name: 'Tidy' }

let time = 0
const since = (reader: string, at = 0): NewsEntry => ({ kind: 'since', reader, at })
const changed = (path: string, baseline: string, ...by: Author[]): NewsEntry => ({
  kind: 'changed',
  path,
  baseline,
  at: ++time,
  by,
})
const read = (reader: string, path: string, baseline: string): NewsEntry => ({
  kind: 'read',
  reader,
  path,
  baseline,
  at: ++time,
})

/** The news of Ann after these entries, as `path: authors`. */
function newsOfAnn(...entries: NewsEntry[]): string[] {
  const state = new NewsState()
  for (const entry of entries) state.apply(entry)
  const again = new NewsState()
  for (const entry of state.entries()) again.apply(entry)
  const told = (one: NewsState) =>
    [...one.newsFor('usr_ann')].flatMap((news) => (news ? `${news.path}: ${news.authors.map(({ name }) => name)}` : []))
  expect(told(again), 'the state made of its own entries').toEqual(told(state))
  return told(state)
}

test.each<[string, NewsEntry[], string[]]>([
  ['nothing is news to somebody who was never here', [changed('a', '1', ben)], []],
  ['what changed before the first visit is not news', [changed('a', '1', ben), since('usr_ann', 1000)], []],
  ['a change of somebody else is news', [since('usr_ann'), changed('a', '1', ben)], ['a: Ben']],
  ['an own change is not news', [since('usr_ann'), changed('a', '1', ann)], []],
  ['who changes a note has read it', [since('usr_ann'), changed('a', '1', ben), changed('a', '2', ann)], []],
  [
    'what comes after an own change is news',
    [since('usr_ann'), changed('a', '1', ann), changed('a', '2', tidy)],
    ['a: Tidy'],
  ],
  [
    'a note that two changed counts for both',
    [since('usr_ann'), changed('a', '1', ben), changed('a', '2', tidy)],
    ['a: Ben,Tidy'],
  ],
  [
    'reading a note clears its news',
    [since('usr_ann'), changed('a', '1', ben), changed('b', '1', ben), read('usr_ann', 'a', '1')],
    ['b: Ben'],
  ],
  [
    'another reader clears nothing',
    [since('usr_ann'), since('usr_ben'), changed('a', '1', tidy), read('usr_ben', 'a', '1')],
    ['a: Tidy'],
  ],
  [
    'a change after the reading is news again',
    [since('usr_ann'), changed('a', '1', ben), read('usr_ann', 'a', '1'), changed('a', '2', tidy)],
    ['a: Tidy'],
  ],
  [
    'the note that changed last comes first',
    [since('usr_ann'), changed('a', '1', ben), changed('b', '1', ben), changed('a', '2', ben)],
    ['a: Ben', 'b: Ben'],
  ],
  [
    'news move with their note',
    [since('usr_ann'), changed('a', '1', ben), { kind: 'moved', from: 'a', to: 'c' }],
    ['c: Ben'],
  ],
  [
    'a reading moves with its note',
    [since('usr_ann'), changed('a', '1', ben), read('usr_ann', 'a', '1'), { kind: 'moved', from: 'a', to: 'c' }],
    [],
  ],
  ['a note that is gone is no news', [since('usr_ann'), changed('a', '1', ben), { kind: 'gone', path: 'a' }], []],
  ['having read everything clears everything', [since('usr_ann'), changed('a', '1', ben), since('usr_ann', 1000)], []],
])('%s', (_sentence, entries, expected) => {
  verifies('news.since-read')
  expect(newsOfAnn(...entries)).toEqual(expected)
})

test('a baseline is known as long as it is one of the latest of its note', () => {
  const state = new NewsState()
  for (let number = 1; number <= 12; number++) state.apply(changed('a', `${number}`, ben))
  expect(state.writtenAt('a', '12')).toBe(time)
  expect(state.writtenAt('a', '2')).toBeUndefined()
  expect(state.newest()).toEqual({ at: time, by: ben })
})

test('notes, readers and readings are bounded', () => {
  const state = new NewsState()
  for (let reader = 0; reader < 600; reader++) state.apply(since(`usr_${reader}`))
  for (let note = 0; note < 11_000; note++) state.apply(changed(`n${note}`, '1', ben))
  for (const reader of ['usr_598', 'usr_599'])
    for (let note = 0; note < 11_000; note++) state.apply(read(reader, `n${note}`, '1'))
  const entries = [...state.entries()]
  expect(entries.filter(({ kind }) => kind === 'changed')).toHaveLength(10_000)
  expect(entries.filter(({ kind }) => kind === 'since')).toHaveLength(500)
  expect(entries.filter(({ kind }) => kind === 'read')).toHaveLength(20_000)
})
