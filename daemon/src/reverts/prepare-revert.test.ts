import { mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import { verifies } from '../../../test/requirements.ts'
import { commit } from '../../../test/support/some-commits.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { outsideAuthor } from '../entry/author.ts'
import { blobNameOf } from '../files/baseline.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { createFileRoot } from '../files/file-root.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { VaultCommit } from '../history/vault-commits.ts'
import { editJobs } from '../note-jobs/edit-jobs.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { Vault } from '../vaults/vault.ts'
import { leftReasons } from './left-reasons.ts'
import { createPrepareRevert } from './prepare-revert.ts'

const MAX_NOTE_BYTES = 10 * 1024 * 1024

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-prepare-revert-'))
})
afterAll(() => removeFolder(root))

test('a revert that would leave the oldest changes out is refused before anything is read', async () => {
  const prepare = createPrepareRevert({
    vaultCommits: async () => ({ commits: [], untilThen: 0, hasMore: true }),
    texts: {
      revisions: () => expect.fail('read'),
      sizes: () => expect.fail('read'),
      contents: () => expect.fail('read'),
    },
    historyOf: () => ({}) as NoteHistory,
    runNoteJob: () => expect.fail('ran'),
    maxNoteBytes: 1,
  })
  const wish = {
    vault: {} as Vault,
    since: '2000-01-01T00:00:00Z',
    until: undefined,
    path: undefined,
    isMine: () => true,
  }
  await expect(prepare(wish)).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'since', message: 'must be later: more than 10,000 changes were made since' }],
  })
})

const jobs: Record<string, (input: never) => unknown> = editJobs
const runHere: RunNoteJob = async ({ job, input }) => jobs[job]!(input as never) as never

/** A vault in which notes cannot come back, because their paths are taken. */
const vaultWith = (recheck: Vault['recheck']): Vault =>
  ({
    layout: { root },
    files: createFileRoot({ path: root, disk: systemDisk, reservedBytes: 0 }),
    manifest: { onDisk: (path: string) => path, file: () => ({}), hasFolder: () => false, hasFile: () => false },
    live: { unsaved: () => undefined },
    recheck,
  }) as unknown as Vault

/** Prepares to revert these commits, whose files are given with their texts. */
function preparedFrom(vault: Vault, given: () => VaultCommit[], runNoteJob: RunNoteJob = runHere, path?: string) {
  const contents = new Map<string, Buffer>()
  const named = (text: string | undefined) => {
    if (text === undefined) return undefined
    const name = blobNameOf(Buffer.from(text))
    contents.set(name, Buffer.from(text))
    return name
  }
  const commits = () =>
    given().map(({ files, ...rest }) => ({
      ...rest,
      files: files.map((file) => ({ ...file, before: named(file.before), after: named(file.after) })),
    }))
  return createPrepareRevert({
    vaultCommits: async () => ({ commits: commits(), untilThen: given().length, hasMore: false }),
    texts: {
      revisions: () => expect.fail('read'),
      sizes: async (_, names) => names.map((name) => contents.get(name)!.length),
      contents: async (_, names) => names.map((name) => contents.get(name)!),
    },
    historyOf: () => ({ withheld: () => undefined }) as unknown as NoteHistory,
    runNoteJob,
    maxNoteBytes: MAX_NOTE_BYTES,
  })({ vault, since: 'a0', until: undefined, path, isMine: () => true })
}

/** Prepares to revert one commit with these changes. */
const prepared = (files: VaultCommit['files'], runNoteJob: RunNoteJob) =>
  preparedFrom(
    vaultWith(async () => {}),
    () => [commit(outsideAuthor, { files })],
    runNoteJob,
  )

test('differences are jobs, of all that they compare', async () => {
  verifies('untrusted.off-loop')
  const [before, after] = ['\n'.repeat(50_000), `\n${'\n'.repeat(50_000)}x`]
  await writeFile(join(root, 'edited.md'), after)
  await writeFile(join(root, 'made.md'), after)
  const costs: number[] = []
  const { notes } = await prepared(
    [
      { path: 'edited.md', before, after },
      { path: 'made.md', before: undefined, after },
      { path: 'gone.md', before, after: undefined },
    ],
    (job) => {
      if (job.job === 'diff') costs.push(job.cost)
      return runHere(job)
    },
  )
  expect(notes.map(({ path }) => path)).toEqual(['edited.md', 'made.md'])
  expect(notes[0]!.diff).toContain('-x')
  expect(costs).toEqual([before.length + after.length, after.length, before.length])
})

test('a note that takes too long to compare is left', async () => {
  const stopped = () => Promise.reject(new ParsingStopped('the deadline has passed'))
  const { left } = await prepared([{ path: 'gone.md', before: 'a', after: undefined }], stopped)
  expect(left).toEqual([{ path: 'gone.md', reason: leftReasons.large }])
})

test('a plan holds a limited amount of text, and leaves the other notes', { timeout: 60_000 }, async () => {
  const before = 'a'.repeat(8_000_000)
  const changes = Array.from({ length: 6 }, (_, at) => ({ path: `gone ${at}.md`, before, after: undefined }))
  const { left } = await prepared(changes, runHere)
  const reasons = left.map(({ reason }) => reason)
  expect(reasons.filter((reason) => reason === leftReasons.taken)).toHaveLength(4)
  expect(reasons.filter((reason) => reason === leftReasons.much)).toHaveLength(2)
})

test('a note that is moved at this moment is found where it is then', async () => {
  verifies('revert.reviewed')
  await writeFile(join(root, 'moved.md'), 'a')
  const files = [{ path: 'moved.md', before: undefined, after: 'a' }]
  const commits = [commit(outsideAuthor, { files: [{ path: 'old.md', before: undefined, after: 'a' }] })]
  const rechecked: string[] = []
  const vault = vaultWith(async (path) => {
    if (rechecked.push(path) === 1)
      commits.push(commit(outsideAuthor, { files, renames: [{ from: 'old.md', to: 'moved.md' }] }))
  })
  const { notes, left } = await preparedFrom(vault, () => commits)
  expect(notes.map(({ path, action }) => [path, action])).toEqual([['moved.md', 'trash']])
  expect({ left, rechecked }).toEqual({ left: [], rechecked: ['old.md'] })
})

test.for(['attachment', 'folder'] as const)('so is the %s', async (kind) => {
  const [was, old, now] = [`${kind} was`, `${kind} old`, `${kind} now`]
  const make = { attachment: (path: string) => writeFile(path, 'a'), folder: (path: string) => mkdir(path) }
  await make[kind](join(root, now))
  const { size, mtimeMs, ino } = await stat(join(root, now))
  const move = (from: string, to: string) =>
    commit(outsideAuthor, { moved: [{ kind, from, to, is: { size, mtimeMs, ino } }] })
  const commits = [move(was, old)]
  const rechecked: string[] = []
  const vault = vaultWith(async (path) => {
    if (rechecked.push(path) === 1) commits.push(move(old, now))
  })
  const isThere = (path: string) => path === now
  Object.assign(vault.manifest, { hasFile: isThere, hasFolder: isThere, file: () => undefined })
  const { notes, left } = await preparedFrom(vault, () => commits)
  expect(notes.map(({ path, action, to }) => [path, action, to])).toEqual([[now, 'move_back', was]])
  expect({ left, rechecked }).toEqual({ left: [], rechecked: [old] })
})

test('a note of the history that is at no known path is left', async () => {
  const plan = await prepared([{ path: 'lost.md', before: undefined, after: 'a' }], runHere)
  expect(plan).toMatchObject({ notes: [], left: [{ path: 'lost.md', reason: leftReasons.gone }] })
})

test('a created note that has changed since its last commit is left, and so is text that is not saved yet', async () => {
  verifies('revert.keeps-people')
  await writeFile(join(root, 'changed.md'), 'made\nby a person\n')
  await writeFile(join(root, 'typed.md'), 'made\n')
  await writeFile(join(root, 'same.md'), 'made\n')
  const names = ['changed.md', 'typed.md', 'same.md']
  const files = names.map((path) => ({ path, before: undefined, after: 'made\n' }))
  const vault = vaultWith(async () => {})
  vault.live.unsaved = (path) => (path === 'typed.md' ? 'made\ntyped\n' : undefined)
  const { notes, left } = await preparedFrom(vault, () => [commit(outsideAuthor, { files })])
  expect(notes.map(({ path, action }) => [path, action])).toEqual([['same.md', 'trash']])
  expect(left).toEqual(['changed.md', 'typed.md'].map((path) => ({ path, reason: leftReasons.others })))
})

test('a note that cannot be addressed, read or written is left, and the others are planned', async () => {
  verifies('revert.reviewed')
  const odd = 'https%3A%2F%2Fexample.com.md'
  await writeFile(join(root, odd), 'after\n')
  await writeFile(join(root, 'grown.md'), 'x'.repeat(MAX_NOTE_BYTES + 1))
  await writeFile(join(root, 'plain.md'), 'after\n')
  const vault = vaultWith(async () => {})
  const refuseAway = async (path: string) => {
    if (path === 'away.md') throw fail('disk_away')
  }
  Object.assign(vault.files, { mounted: { refuseAway } })
  const paths = [odd, 'grown.md', 'away.md', 'plain.md']
  const files = [
    ...paths.map((path) => ({ path, before: 'before\n', after: 'after\n' })),
    { path: 'shrunk.md', before: 'x'.repeat(MAX_NOTE_BYTES + 1), after: undefined },
  ]
  const { notes, left } = await preparedFrom(vault, () => [commit(outsideAuthor, { files })])
  expect(notes.map(({ path, action }) => [path, action])).toEqual([['plain.md', 'edit']])
  expect(left).toEqual([
    { path: odd, reason: leftReasons.unusable },
    { path: 'grown.md', reason: leftReasons.large },
    { path: 'away.md', reason: leftReasons.unread },
    { path: 'shrunk.md', reason: leftReasons.large },
  ])
})

test('a moved note that cannot be addressed is left', async () => {
  verifies('revert.reviewed')
  const [from, to] = ['clips/a%2Fb.md', 'moved/a%2Fb.md']
  const files = [
    { path: from, before: 'a', after: undefined },
    { path: to, before: undefined, after: 'a' },
  ]
  const moves = [commit(outsideAuthor, { files, renames: [{ from, to }] })]
  const { notes, left } = await preparedFrom(
    vaultWith(async () => {}),
    () => moves,
  )
  expect({ notes, left }).toEqual({ notes: [], left: [{ path: to, reason: leftReasons.unusable }] })
})

test.for([['there'], ['gone']])(
  'the only note to revert is named in either normal form, also when it is %s',
  async ([is]) => {
    verifies('revert.reviewed')
    const [stored, asked] = [`${is} cafe\u0301.md`, `${is} caf\u00e9.md`]
    const vault = vaultWith(async () => {})
    if (is === 'there') {
      await writeFile(join(root, stored), 'after\n')
      Object.assign(vault.manifest, { onDisk: () => stored, hasFile: () => true })
    } else Object.assign(vault.manifest, { file: () => undefined })
    const after = is === 'there' ? 'after\n' : undefined
    const files = ['other.md', stored].map((path) => ({ path, before: 'before\n', after }))
    const { notes, left } = await preparedFrom(vault, () => [commit(outsideAuthor, { files })], runHere, asked)
    expect({ notes: notes.map(({ path }) => path), left }).toEqual({ notes: [stored], left: [] })
  },
)
