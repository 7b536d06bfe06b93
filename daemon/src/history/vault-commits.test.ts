import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { gitProcess } from './git/git-process.ts'
import { openHistory, type ReadGit } from './history-reader.ts'
import { importStream } from './import-stream.ts'
import type { NoteHistory } from './note-history.ts'
import { createVaultCommits } from './vault-commits.ts'

const searchPath = process.env.PATH!
const NOON = new Date('2026-03-01T12:00:00Z')
const now = () => NOON

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-vault-commits-'))
})
afterEach(() => removeFolder(folder))

/** A history with one commit at each of these times, in this order. The message of a commit is its number. */
async function historyWith(times: readonly string[]): Promise<NoteHistory> {
  const gitDir = join(folder, 'v.git')
  const git = gitProcess({ gitDir, searchPath })
  await git(['init', '--bare', '--quiet', gitDir])
  const commits = times.map((time, number) => ({
    author: { id: 'usr_ann', name: 'Ann' },
    at: Date.parse(time) / 1000,
    message: 'Change',
    files: [{ path: `${number}.md`, bytes: Buffer.from(time) }],
  }))
  await git(['fast-import', '--quiet', '--done'], importStream(commits, { isFirst: true }))
  return { gitDir, commitAll: async () => {}, isReadable: () => true } as unknown as NoteHistory
}

const at = (time: string) => `2026-03-01T${time}:00Z`
const setBack = ['10:00', '10:10', '09:00', '09:30'].map(at)
const lostOnce = [at('10:00'), '1970-01-01T00:00:05Z', at('10:10')]
// The clock was an hour fast: 11:00 and 11:01 are 10:00 and 10:01.
const fastUntilNow = ['09:50', '11:00', '11:01', '10:06'].map(at)
const aheadOnce = [at('10:00'), '2098-01-01T00:00:00Z', at('10:10'), at('10:20')]

test.each([
  { name: 'a time between two commits', times: ['10:00', '10:10', '10:20'].map(at), since: at('10:05'), found: [1, 2] },
  { name: 'a time before all commits', times: setBack, since: at('08:00'), found: [0, 1, 2, 3] },
  { name: 'a time before the clock was set back', times: setBack, since: at('10:05'), found: [1, 2, 3] },
  { name: 'a time to which the clock was set back', times: setBack, since: at('09:15'), found: [0, 1, 2, 3] },
  { name: 'a time after all commits', times: setBack, since: at('11:00'), found: [] },
  { name: 'a time around a commit without a clock', times: lostOnce, since: at('09:00'), found: [0, 1, 2] },
  { name: 'a time after a commit without a clock', times: lostOnce, since: at('10:05'), found: [2] },
  { name: 'a time after a commit of the far future', times: aheadOnce, since: at('10:15'), found: [3] },
  { name: 'a time just after a commit of the far future', times: aheadOnce, since: at('10:05'), found: [1, 2, 3] },
  { name: 'a time in the future', times: aheadOnce, since: '2090-01-01T00:00:00Z', found: [1, 2, 3] },
])('$name means the commits from the first one after it', async ({ times, since, found }) => {
  verifies('revert.clock')
  const history = await historyWith(times)
  const read = createVaultCommits({ open: openHistory({ searchPath }), now })
  const { commits, hasMore } = await read(history, { since, most: 10 })
  expect({ found: commits.map(({ files: [file] }) => Number.parseInt(file!.path)), hasMore }).toEqual({
    found,
    hasMore: false,
  })
})

test.each([
  { name: 'before the clock was fast', times: fastUntilNow, since: at('09:45'), found: [0, 1, 2, 3] },
  { name: 'while the clock was fast', times: fastUntilNow, since: at('09:55'), found: [1, 2, 3] },
  {
    name: 'after which all was written by the fast clock',
    times: fastUntilNow.slice(0, 3),
    since: at('09:55'),
    found: [1, 2],
  },
  { name: 'after all commits', times: fastUntilNow, since: at('10:08'), found: [] },
])(
  'a time $name misses nothing while the times of the fast clock are still to come',
  async ({ times, since, found }) => {
    verifies('revert.clock')
    const history = await historyWith(times)
    const read = createVaultCommits({ open: openHistory({ searchPath }), now: () => new Date(at('10:10')) })
    const { commits } = await read(history, { since, until: at('10:09'), most: 10 })
    expect(commits.map(({ files: [file] }) => Number.parseInt(file!.path))).toEqual(found)
  },
)

test('a range until a revision that is not in it is refused, also if nothing is in it', async () => {
  const history = await historyWith(setBack)
  const read = createVaultCommits({ open: openHistory({ searchPath }), now })
  for (const since of [at('09:15'), at('11:00')])
    await expect(read(history, { since, until: 'abcdef0', most: 10 })).rejects.toMatchObject({ code: 'not_found' })
})

test.each([
  { name: 'a time', times: ['10:00', '10:10', '10:20'].map(at), until: at('10:15'), untilThen: 2 },
  { name: 'a time after a commit of the far future', times: aheadOnce, until: at('10:15'), untilThen: 3 },
  { name: 'a time before the clock was set back', times: setBack, until: at('10:05'), untilThen: 1 },
])('a range until $name ends with the last commit up to it', async ({ times, until, untilThen }) => {
  const history = await historyWith(times)
  const read = createVaultCommits({ open: openHistory({ searchPath }), now })
  expect(await read(history, { since: at('08:00'), until, most: 10 })).toMatchObject({ untilThen })
})

test('more commits than wanted are not read', async () => {
  const history = await historyWith(setBack)
  const read = createVaultCommits({ open: openHistory({ searchPath }), now })
  const { commits, hasMore } = await read(history, { since: at('09:15'), most: 3 })
  expect({ found: commits.length, hasMore }).toEqual({ found: 3, hasMore: true })
})

test('a range whose log is too long to read has more commits', async () => {
  const record = ['c1', '', '1', 'Ann', 'ann@svc', 'Change', ''].join('\u001f')
  const git: ReadGit = Object.assign(async () => 'refs/heads/main', {
    records: async (_args: readonly string[], visit: (record: string) => unknown) => {
      visit(record)
      return { isCut: true }
    },
  })
  const read = createVaultCommits({ open: async () => git, now })
  const found = await read({} as NoteHistory, { since: 'abcdef0', most: 10 })
  expect(found).toMatchObject({ commits: [{ rev: 'c1' }], untilThen: 1, hasMore: true })
})

test('a revision is unknown only if git says so', async () => {
  const gitThat = (failure: Error): ReadGit =>
    Object.assign(
      async (args: readonly string[]) => {
        if (args[0] === 'rev-parse') throw failure
        return 'refs/heads/main'
      },
      { records: async () => ({ isCut: false }) },
    )
  const readBy = (failure: Error) =>
    createVaultCommits({ open: async () => gitThat(failure), now })({} as NoteHistory, { since: 'abcdef0', most: 10 })
  await expect(readBy(new Error('git exited with 1'))).rejects.toMatchObject({ code: 'not_found' })
  await expect(readBy(fail('too_many_open_files'))).rejects.toMatchObject({ code: 'too_many_open_files' })
})
