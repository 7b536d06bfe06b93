import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { outsideAuthor } from '../entry/author.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { VaultCommit } from '../history/vault-commits.ts'
import { editJobs } from '../note-jobs/edit-jobs.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { Vault } from '../vaults/vault.ts'
import { leftReasons } from './left-reasons.ts'
import { createPrepareRevert } from './prepare-revert.ts'

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

type Change = { path: string; before: string | undefined; after: string | undefined }

const jobs: Record<string, (input: never) => unknown> = editJobs
const runHere: RunNoteJob = async ({ job, input }) => jobs[job]!(input as never) as never

/** Prepares to revert one commit with these changes. Notes cannot come back, because their paths are taken. */
async function prepared(changes: readonly Change[], runNoteJob: RunNoteJob) {
  const texts = new Map(changes.flatMap(({ before, after }) => [before, after]).map((text, at) => [`blob ${at}`, text]))
  const files = changes.map(({ path, before, after }, at) => ({
    path,
    before: before === undefined ? undefined : `blob ${2 * at}`,
    after: after === undefined ? undefined : `blob ${2 * at + 1}`,
  }))
  const commit: VaultCommit = {
    rev: 'a1',
    parent: 'a0',
    author: outsideAuthor,
    atMs: 0,
    isFound: false,
    changes: 1,
    written: undefined,
    renames: [],
    moved: [],
    deletions: [],
    files,
  }
  const vault = {
    layout: { root },
    files: { isLocal: false, mounted: { refuseAway: async () => {} } },
    manifest: { onDisk: (path: string) => path, file: () => ({}), hasFolder: () => false, hasFile: () => false },
    live: { unsaved: () => undefined },
  } as unknown as Vault
  const prepare = createPrepareRevert({
    vaultCommits: async () => ({ commits: [commit], untilThen: 1, hasMore: false }),
    texts: {
      revisions: () => expect.fail('read'),
      sizes: async (_, names) => names.map((name) => texts.get(name)!.length),
      contents: async (_, names) => names.map((name) => Buffer.from(texts.get(name)!)),
    },
    historyOf: () => ({ withheld: () => undefined }) as unknown as NoteHistory,
    runNoteJob,
    maxNoteBytes: 1024 * 1024,
  })
  return prepare({ vault, since: 'a0', until: undefined, path: undefined, isMine: () => true })
}

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
