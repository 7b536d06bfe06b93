import { appendFile, lstat, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { systemDisk, type Disk } from './disk/disk.ts'
import { createFileRoot } from './file-root.ts'
import { stampOf } from './file-stamp.ts'
import { inFolder, openFolder } from './open-folder.ts'
import { moveToFree, placeOver, takeAway } from './place-file.ts'
import { stageFile } from './stage-file.ts'

let path: string
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'svc-place-'))
  await writeFile(join(path, 'f'), 'old')
})
afterEach(() => rm(path, { recursive: true, force: true }))

const text = (name = 'f') => readFile(join(path, name), 'utf8')
const seen = async () => stampOf(await lstat(join(path, 'f')))

/** Replaces the file, which was seen as `expected`, on a disk that does something else just before each rename. */
async function replace(expected: Awaited<ReturnType<typeof seen>>, beforeRename = async () => {}) {
  const rename: Disk['rename'] = async (from, to) => {
    await beforeRename()
    await systemDisk.rename(from, to)
  }
  const root = createFileRoot({ path, disk: { ...systemDisk, rename }, reservedBytes: 0 })
  const staged = await stageFile(root, Buffer.from('new'))
  const placed = await inFolder(openFolder(root, []), (folder) =>
    placeOver({ root, folder, name: 'f' }, staged, expected),
  )
  const kept = await readFile(staged.path, 'utf8').catch(() => undefined)
  await staged.discard()
  expect(await readdir(join(path, '.svc/tmp'))).toEqual([])
  return { placed, kept }
}

test('a file that is as it was seen is replaced', async () => {
  const { placed } = await replace(await seen())
  expect([await text(), placed]).toEqual(['new', await seen()])
})

test('a file that was written since it was seen stays', async () => {
  verifies('notes.no-foreign-overwrite')
  const stamp = await seen()
  await writeFile(join(path, 'f'), 'theirs')
  const { placed, kept } = await replace(stamp)
  expect([placed, await text(), kept]).toEqual([undefined, 'theirs', 'new'])
})

test('an editor that writes in place at the last moment is not overwritten', async () => {
  verifies('notes.no-foreign-overwrite')
  let isFirst = true
  const { placed, kept } = await replace(await seen(), async () => {
    if (isFirst) await appendFile(join(path, 'f'), ' and theirs')
    isFirst = false
  })
  expect([placed, await text(), kept]).toEqual([undefined, 'old and theirs', 'new'])
})

test('a file without hard links on its volume is replaced too', async () => {
  const link: Disk['link'] = () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }))
  const root = createFileRoot({ path, disk: { ...systemDisk, link }, reservedBytes: 0 })
  const staged = await stageFile(root, Buffer.from('new'))
  const stamp = await seen()
  await inFolder(openFolder(root, []), (folder) => placeOver({ root, folder, name: 'f' }, staged, stamp))
  await staged.discard()
  expect(await text()).toBe('new')
  expect(await moveToFree(root, join(path, 'f'), join(path, 'g'))).toBe(true)
  await writeFile(join(path, 'f'), 'other')
  expect(await moveToFree(root, join(path, 'f'), join(path, 'g'))).toBe(false)
})

test('a file is taken away only as it was seen', async () => {
  const root = createFileRoot({ path, disk: systemDisk, reservedBytes: 0 })
  const stamp = await seen()
  const take = () =>
    inFolder(openFolder(root, []), (folder) =>
      takeAway({ root, folder, name: 'f' }, stamp, { path: join(path, 'away'), sync: async () => {} }),
    )
  await writeFile(join(path, 'f'), 'theirs')
  expect([await take(), await text()]).toEqual([false, 'theirs'])
})
