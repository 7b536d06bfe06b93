import { expect, test } from 'vitest'
import { agent, commit as someCommit, isMine, person } from '../../../test/support/some-commits.ts'
import type { VaultCommit } from '../history/vault-commits.ts'
import { isMovedOn, moveToUndo } from './note-tracks.ts'
import { trackThings } from './thing-tracks.ts'

const picture = (from: string, to: string, ino = 1) =>
  ({ kind: 'attachment', from, to, is: { ino, size: 2, mtimeMs: 3 } }) as const
const commit = (author: typeof agent, ...moved: VaultCommit['moved']) => someCommit(author, { moved })

test('an attachment goes back over all moves of the agent, and is known again by the last one', async () => {
  const [track] = await trackThings([commit(agent, picture('a', 'b')), commit(agent, picture('b', 'c', 9))], isMine)
  expect(moveToUndo(track!)).toEqual({ from: 'c', to: 'a' })
  expect(track!.is.ino).toBe(9)
})

test('what others have moved on stays', async () => {
  const [track] = await trackThings([commit(agent, picture('a', 'b')), commit(person, picture('b', 'c'))], isMine)
  expect([moveToUndo(track!), isMovedOn(track!)]).toEqual([undefined, true])
})

test('attachments that exchange their paths are told apart', async () => {
  const tracks = await trackThings([commit(agent, picture('a', 'b', 1), picture('b', 'a', 2))], isMine)
  expect(tracks.map((track) => [track.is.ino, moveToUndo(track)])).toEqual([
    [1, { from: 'b', to: 'a' }],
    [2, { from: 'a', to: 'b' }],
  ])
})

test('a folder and an attachment of one path are two, and moves of others alone are left alone', async () => {
  const folder = { ...picture('x', 'y'), kind: 'folder' } as const
  const tracks = await trackThings([commit(agent, folder), commit(person, picture('x', 'y'))], isMine)
  expect(tracks.map(({ kind, path }) => [kind, path])).toEqual([['folder', 'y']])
})

test('what was made, replaced and removed is one track; what is made at its path later is another', async () => {
  const is = { ino: 1, size: 2, mtimeMs: 3 }
  const thing = (more: Partial<VaultCommit['moved'][number]>) => ({ kind: 'attachment' as const, is, ...more })
  const made = commit(agent, thing({ to: 'a' }))
  const replaced = commit(agent, thing({ from: 'a', to: 'a', is: { ...is, ino: 5 } }))
  const gone = commit(agent, thing({ from: 'a', is: { ...is, ino: 5 }, deletion: 'd' }))
  const again = commit(agent, thing({ to: 'a', is: { ...is, ino: 9 } }))
  const tracks = await trackThings([made, replaced, gone, again], isMine)
  expect(tracks.map((track) => [track.is.ino, track.replaced.length, track.gone?.deletion])).toEqual([
    [9, 0, undefined],
    [5, 1, 'd'],
  ])
  const back = commit(person, thing({ to: 'a', is: { ...is, ino: 5 } }))
  const [restored, ...others] = await trackThings([made, replaced, gone, back], isMine)
  expect([restored!.gone, restored!.made?.isMine, others]).toEqual([undefined, true, []])
})
