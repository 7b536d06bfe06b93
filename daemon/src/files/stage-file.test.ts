import { mkdtemp, readFile, readdir, realpath, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { systemDisk, type Disk } from './disk/disk.ts'
import { createFileRoot } from './file-root.ts'
import { stageFile } from './stage-file.ts'

let path: string
beforeEach(async () => {
  path = await realpath(await mkdtemp(join(tmpdir(), 'svc-stage-')))
})
afterEach(() => removeFolder(path))

/** A disk on which syncing a file does something else as well. */
const diskThat = (atSync: (file: string) => Promise<void>): Disk => ({
  ...systemDisk,
  async open(file, flags, mode) {
    const handle = await systemDisk.open(file, flags, mode)
    if (flags === 'wx') {
      const sync = handle.sync.bind(handle)
      handle.sync = async () => {
        await sync()
        await atSync(String(file))
      }
    }
    return handle
  },
})

test('a disk elsewhere may set the times of a file when it gets the content, so the stamp is taken after that', async () => {
  const disk = diskThat((file) => utimes(file, new Date(5000), new Date(5000)))
  const staged = await stageFile(createFileRoot({ path, disk, reservedBytes: 0, isLocal: false }), Buffer.from('text'))
  expect(staged.stamp.mtimeMs).toBe(5000)
  await staged.discard()
})

test('on a disk of this machine nobody waits for the sync but who places the file', async () => {
  let end = () => {}
  const syncing = new Promise<void>((resolve) => (end = resolve))
  const root = createFileRoot({ path, disk: diskThat(() => syncing), reservedBytes: 0, isLocal: true })
  const staged = await stageFile(root, Buffer.from('text'))
  let isDurable = false
  const durable = staged.durable.then(() => (isDurable = true))
  expect(await readFile(staged.path, 'utf8')).toBe('text')
  expect(isDurable).toBe(false)
  end()
  await durable
  await staged.discard()
  expect(await readdir(join(path, '.svc/tmp'))).toEqual([])
})

test('a sync that fails is told to whoever places the file, as a failure of the catalogue', async () => {
  const disk = diskThat(() => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })))
  const staged = await stageFile(createFileRoot({ path, disk, reservedBytes: 0, isLocal: true }), Buffer.from('text'))
  await expect(staged.durable).rejects.toMatchObject({ code: 'storage_failed' })
  await staged.discard()
  expect(await readdir(join(path, '.svc/tmp'))).toEqual([])
})
