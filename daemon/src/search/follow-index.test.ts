import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { verifies } from '../../../test/requirements.ts'
import { stampOf } from '../files/file-stamp.ts'
import { createRunNoteJob } from '../note-jobs/run-note-job.ts'
import { createDescribeFile } from '../notes/describe-file.ts'
import { Manifest } from '../watch/manifest.ts'
import { createWalks } from './walk/walk-process.ts'
import { followIndex } from './follow-index.ts'
import { createSearchBudget } from './search-budget.ts'
import { VaultReader } from '../files/read-vault-sync.ts'
import type { SegmentBuilds } from './segment/segment-builds.ts'
import { buildSegment } from './segment/segment-of-vault.ts'
import { parseQuery } from './words/query.ts'

const maxNoteBytes = 1024 * 1024
const builds: SegmentBuilds = {
  async build({ root, file }) {
    await mkdir(dirname(file), { recursive: true })
    const draft = `${file}.new`
    await buildSegment({ root, target: draft, maxNoteBytes, threads: 1, owner: process.ppid }, () => {})
    return { draft, discard: () => rm(draft, { force: true }) }
  },
}
const describeFile = createDescribeFile({
  runNoteJob: createRunNoteJob({ run: () => expect.fail('small notes'), close: async () => {} }),
})

test('notes that could not be read while the index was built are found when they can be read again', async () => {
  verifies('watch.nothing-lost')
  const home = await mkdtemp(join(tmpdir(), 'svc-index-'))
  const [root, away] = [join(home, 'vault'), join(home, 'away')]
  await mkdir(join(root, 'folder'), { recursive: true })
  const manifest = new Manifest()
  const follow = followIndex({
    folder: join(home, 'index'),
    builds,
    walks: createWalks(),
    describeFile,
    maxNoteBytes,
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
  })
  const following = follow.follow({ id: 'v', root, manifest })
  const index = follow.of({ id: 'v' })
  /** Does what the daemon does when a sweep finds a changed file. */
  const read = async (path: string, text: string) => {
    const stamp = stampOf(await stat(join(root, path)))
    const content = await describeFile(path, Buffer.from(text))
    manifest.putFile({ path, stamp, facts: content.facts })
    following.changed({ kind: 'changed', path, stamp, content, origin: { kind: 'outside' } })
  }
  const search = async (q: string) => {
    const budget = createSearchBudget({ clock: systemClock, deadlineMs: 60_000 })
    return index.find({ query: parseQuery(q), limit: 10, budget })
  }
  const find = async (q: string) => (await search(q)).found.map(({ path }) => path)
  await writeFile(join(root, 'folder/note.md'), 'heliotrope')
  await read('folder/note.md', 'heliotrope')
  await index.rebuild()
  expect(await find('heliotrope')).toEqual(['folder/note.md'])

  await rename(join(root, 'folder'), away)
  await index.rebuild()
  await rename(away, join(root, 'folder'))
  const isAsKnown = async () => manifest.isAsKnown('folder/note.md', stampOf(await stat(join(root, 'folder/note.md'))))
  await expect.poll(isAsKnown).toBe(false)
  expect(await search('heliotrope')).toEqual({ found: [], total: 0, partial: true })
  await read('folder/note.md', 'heliotrope')
  expect(await search('heliotrope')).toMatchObject({ total: 1, partial: false })
  expect(await find('heliotrope')).toEqual(['folder/note.md'])
  await following.close?.()
  await rm(home, { recursive: true })
})

test('a file whose content cannot be read does not end the reading of a vault', () => {
  // The kernel lists this file as a regular one of a page, but every read of it fails.
  const reader = new VaultReader({ root: '/sys/devices/virtual/net/lo', maxBytes: maxNoteBytes })
  expect(reader.read('speed', 'bytes')).toBeUndefined()
  expect(reader.read('speed', 'stamp')).toMatchObject({ path: 'speed', stamp: { size: 4096 } })
  reader.close()
})
