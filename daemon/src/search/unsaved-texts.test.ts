import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { verifies } from '../../../test/requirements.ts'
import { stampOf } from '../files/file-stamp.ts'
import { createRunNoteJob } from '../note-jobs/run-note-job.ts'
import { createDescribeFile } from '../notes/describe-file.ts'
import { Manifest } from '../watch/manifest.ts'
import { followIndex } from './follow-index.ts'
import { createSearchBudget } from './search-budget.ts'
import { buildSegment } from './segment/segment-of-vault.ts'
import { createLiveTexts } from './unsaved-texts.ts'
import { createWalks } from './walk/walk-process.ts'
import { parseQuery } from './words/query.ts'

const maxNoteBytes = 1024 * 1024
const LARGE = `zeppelin ${'word '.repeat(150_000)}`

const [here, nowhere] = [
  { paths: ['a.md'], partial: false },
  { paths: [], partial: false },
]

/** A vault with one note in its index, `quiet`, and searches of it. `describing` is awaited before a text is described. */
async function searched(describing: () => Promise<void> = async () => {}) {
  const home = await mkdtemp(join(tmpdir(), 'svc-unsaved-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const root = join(home, 'vault')
  await mkdir(root)
  const manifest = new Manifest()
  const describeFile = createDescribeFile({
    runNoteJob: createRunNoteJob({
      run: (job) => Promise.reject(new Error(JSON.stringify(job))),
      close: async () => {},
    }),
  })
  const follow = followIndex({
    folder: join(home, 'index'),
    builds: {
      async build({ file }) {
        await mkdir(dirname(file), { recursive: true })
        const draft = `${file}.new`
        await buildSegment({ root, target: draft, maxNoteBytes, threads: 1, owner: process.ppid }, () => {})
        return { draft, discard: () => rm(draft, { force: true }) }
      },
    },
    walks: createWalks(),
    describeFile,
    maxNoteBytes,
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
  })
  const following = follow.follow({ id: 'v', root, manifest })
  onTestFinished(() => following.close?.())
  const index = follow.of({ id: 'v' })
  const live: { unsaved: { path: string; version: string; text(): string }[] } = { unsaved: [] }
  const vault = { manifest, layout: { root }, live: { unsavedNotes: () => live.unsaved } }
  const indexLiveTexts = createLiveTexts({
    describeFile: async (path, bytes) => {
      await describing()
      return describeFile(path, bytes)
    },
    maxNoteBytes,
  })
  const find = async (q: string) => {
    const budget = createSearchBudget({ clock: systemClock, deadlineMs: 60_000 })
    await indexLiveTexts({ vault, index, budget })
    const { found, partial } = await index.find({ query: parseQuery(q), limit: 10, budget })
    return { paths: found.map(({ path }) => path), partial }
  }
  await writeFile(join(root, 'a.md'), 'quiet\n')
  const { facts } = await describeFile('a.md', Buffer.from('quiet\n'))
  manifest.putFile({ path: 'a.md', stamp: stampOf(await stat(join(root, 'a.md'))), facts })
  await index.rebuild()
  return { find, index, live }
}

test('unsaved text of a note that is in the index as it is on disk is found, until it is undone', async () => {
  verifies('live.search-sees-unsaved')
  const { find, index, live } = await searched()
  expect(await find('quiet')).toEqual(here)

  live.unsaved = [{ path: 'a.md', version: '1', text: () => 'quiet zeppelin\n' }]
  expect(await find('zeppelin')).toEqual(here)
  await index.rebuild()
  expect(await find('zeppelin')).toEqual(here)

  live.unsaved = []
  expect(await find('zeppelin')).toEqual(nowhere)
  expect(await find('quiet')).toEqual(here)
  await index.rebuild()
  expect(await find('quiet')).toEqual(here)

  // The memory does not take it: its words are found when it has been saved and the next segment is built.
  live.unsaved = [{ path: 'a.md', version: '2', text: () => LARGE }]
  expect(await find('zeppelin')).toEqual(nowhere)
  expect(await find('quiet')).toEqual(here)
})

test('a search waits for text that another search is adding', async () => {
  verifies('live.search-sees-unsaved')
  const release: (() => void)[] = []
  const { find, live } = await searched(() => new Promise((resolve) => release.push(resolve)))
  const both = async (word: string) => {
    const found = [find(word), find(word)]
    await expect.poll(() => release.length).toBe(1)
    // Whatever the second search does without waiting, it has done by then.
    for (let turn = 0; turn < 100; turn++) await setImmediate()
    release.pop()!()
    return Promise.all(found)
  }
  live.unsaved = [{ path: 'a.md', version: '1', text: () => 'zeppelin\n' }]
  expect(await both('zeppelin')).toEqual([here, here])
  live.unsaved = []
  expect(await both('quiet')).toEqual([here, here])
})

test('text that could not be described is described again by the next search', async () => {
  verifies('live.search-sees-unsaved')
  let failures = 0
  const { find, live } = await searched(async () => {
    if (failures-- > 0) throw new Error('the worker ended')
  })
  live.unsaved = [{ path: 'a.md', version: '1', text: () => 'zeppelin\n' }]
  failures = 1
  await expect(find('zeppelin')).rejects.toThrow('the worker ended')
  expect(await find('zeppelin')).toEqual(here)
  live.unsaved = []
  failures = 1
  await expect(find('quiet')).rejects.toThrow('the worker ended')
  expect(await find('quiet')).toEqual(here)
})
