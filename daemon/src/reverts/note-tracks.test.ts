import { expect, test } from 'vitest'
import { agent, commit as someCommit, isMine, person } from '../../../test/support/some-commits.ts'
import type { VaultCommit } from '../history/vault-commits.ts'
import { moveToUndo, trackNotes } from './note-tracks.ts'

const commit = (author: typeof agent, files: VaultCommit['files'], more: Partial<VaultCommit> = {}): VaultCommit =>
  someCommit(author, { files, ...more })
const edit = (path: string, before: string | undefined, after: string | undefined) => ({ path, before, after })

test('a note is followed through its moves, with what it held before', async () => {
  const tracks = await trackNotes(
    [
      commit(person, [edit('a.md', '1', '2')]),
      commit(agent, [edit('a.md', '2', undefined), edit('b.md', undefined, '2')], {
        renames: [{ from: 'a.md', to: 'b.md' }],
      }),
      commit(person, [edit('b.md', '2', '3')]),
    ],
    isMine,
  )
  expect(
    tracks.map(({ path, before, steps }) => [path, before, steps.map(({ content, mine }) => [content, mine])]),
  ).toEqual([
    [
      'b.md',
      '1',
      [
        ['2', 'none'],
        ['2', 'all'],
        ['3', 'none'],
      ],
    ],
  ])
  expect(moveToUndo(tracks[0]!)).toEqual({ from: 'b.md', to: 'a.md' })
})

test('a move that somebody else made later is not undone', async () => {
  const renames = (from: string, to: string) => ({ renames: [{ from, to }] })
  const [track] = await trackNotes(
    [commit(agent, [], renames('a.md', 'b.md')), commit(person, [], renames('b.md', 'c.md'))],
    isMine,
  )
  expect([track!.path, moveToUndo(track!)]).toEqual(['c.md', undefined])
})

test('lines tell who wrote what in a commit of several', async () => {
  const written = [
    { lines: 1, by: agent },
    { lines: 1, by: person },
  ]
  const files = [edit('a.md', '1', '2')]
  const shares = [commit(agent, files, { written }), commit(person, files, { written }), commit(agent, files)]
  expect((await trackNotes(shares, isMine))[0]!.steps.map(({ mine }) => mine)).toEqual(['most', 'some', 'all'])
})

test('notes that only others changed are left alone', async () => {
  expect(await trackNotes([commit(person, [edit('a.md', '1', '2')])], isMine)).toEqual([])
})

test('there is a pause at every commit, which may hold hundreds of moves', async () => {
  let pauses = 0
  const commits = [commit(person, [edit('a.md', '1', '2')]), commit(person, [edit('a.md', '2', '3')])]
  await trackNotes(commits, isMine, undefined, () => {
    pauses++
    return undefined
  })
  expect(pauses).toBe(commits.length)
})

test('a note that the history has not seen before its move, or before its links followed one, is older than it', async () => {
  const files = [edit('b.md', undefined, '1'), edit('links.md', undefined, '2')]
  const moves = [
    commit(agent, files, { renames: [{ from: 'a.md', to: 'b.md' }] }),
    commit(agent, [edit('more.md', undefined, '3')], {
      moved: [{ kind: 'attachment', from: 'a.png', to: 'b.png', is: { ino: 1, size: 1, mtimeMs: 1 } }],
    }),
    commit(agent, [edit('new.md', undefined, '4')]),
  ]
  const tracks = await trackNotes(moves, isMine)
  expect(tracks.map(({ path, before }) => [path, before])).toEqual([
    ['b.md', '1'],
    ['links.md', '2'],
    ['more.md', '3'],
    ['new.md', undefined],
  ])
  expect(moveToUndo(tracks[0]!)).toEqual({ from: 'b.md', to: 'a.md' })
})
