import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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

test('unsaved text of a note that is in the index as it is on disk is found, until it is undone', async () => {
  verifies('live.search-sees-unsaved')
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
  let unsaved: { path: string; version: string; text(): string }[] = []
  const vault = { manifest, layout: { root }, live: { unsavedNotes: () => unsaved } }
  const indexLiveTexts = createLiveTexts({ describeFile, maxNoteBytes })
  const find = async (q: string) => {
    const budget = createSearchBudget({ clock: systemClock, deadlineMs: 60_000 })
    await indexLiveTexts({ vault, index, budget })
    const { found, partial } = await index.find({ query: parseQuery(q), limit: 10, budget })
    return { paths: found.map(({ path }) => path), partial }
  }
  const [here, nowhere] = [
    { paths: ['a.md'], partial: false },
    { paths: [], partial: false },
  ]

  await writeFile(join(root, 'a.md'), 'quiet\n')
  const { facts } = await describeFile('a.md', Buffer.from('quiet\n'))
  manifest.putFile({ path: 'a.md', stamp: stampOf(await stat(join(root, 'a.md'))), facts })
  await index.rebuild()
  expect(await find('quiet')).toEqual(here)

  unsaved = [{ path: 'a.md', version: '1', text: () => 'quiet zeppelin\n' }]
  expect(await find('zeppelin')).toEqual(here)
  await index.rebuild()
  expect(await find('zeppelin')).toEqual(here)

  unsaved = []
  expect(await find('zeppelin')).toEqual(nowhere)
  expect(await find('quiet')).toEqual(here)
  await index.rebuild()
  expect(await find('quiet')).toEqual(here)

  // The memory does not take it: its words are found when it has been saved and the next segment is built.
  unsaved = [{ path: 'a.md', version: '2', text: () => LARGE }]
  expect(await find('zeppelin')).toEqual(nowhere)
  expect(await find('quiet')).toEqual(here)
})
