import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemDisk, type Disk } from '../files/disk/disk.ts'
import { createFileRoot } from '../files/file-root.ts'
import { createPathQueue } from '../files/path-queue.ts'
import { checkName, folderOnDisk, makeName, newFilePath, refuseTwin } from './new-names.ts'

let path: string
let reads = 0

/** A vault on a disk that counts how often a folder is read. */
function openNames() {
  const counting = ((...args: Parameters<typeof readdir>) => {
    reads++
    return systemDisk.readdir(...args)
  }) as typeof readdir
  return {
    files: createFileRoot({ path, disk: { ...systemDisk, readdir: counting }, reservedBytes: 0 }),
    queue: createPathQueue(),
  }
}
const make = (name: string) => () => writeFile(join(path, name), name)

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'svc-names-'))
  reads = 0
})
afterEach(() => rm(path, { recursive: true }))

test('a name is checked against its folder once where nothing else is made meanwhile', async () => {
  const vault = openNames()
  for (const name of ['a.md', 'b.md', 'c.md']) await makeName(vault, await checkName(vault, name), make(name))
  expect(reads).toBe(3)
  expect(await readdir(path)).toEqual(['a.md', 'b.md', 'c.md'])
})

test('of two twins that were both free the second one is refused', async () => {
  const vault = openNames()
  const [first, second] = [await checkName(vault, 'Note.md'), await checkName(vault, 'note.md')]
  await makeName(vault, first, make('Note.md'))
  await expect(makeName(vault, second, make('note.md'))).rejects.toMatchObject({ code: 'path_conflict' })
  expect(await readdir(path)).toEqual(['Note.md'])
})

test('a name whose making failed stays free', async () => {
  const vault = openNames()
  const checked = await checkName(vault, 'a.md')
  await expect(makeName(vault, checked, () => Promise.reject(new Error('no room')))).rejects.toThrow('no room')
  await makeName(vault, checked, make('a.md'))
  expect(await readdir(path)).toEqual(['a.md'])
})

test('a file that gets another spelling of its name has no twin but itself', async () => {
  const { files } = openNames()
  for (const name of ['NOTE.md', 'Note.md']) await make(name)()
  for (const except of ['NOTE.md', 'Note.md'])
    await expect(refuseTwin(files, 'note.md', { except })).rejects.toMatchObject({ code: 'path_conflict' })
  await rm(join(path, 'NOTE.md'))
  await refuseTwin(files, 'note.md', { except: 'Note.md' })
})

test.each(['NFC', 'NFD'])(
  'a folder that is stored in %s keeps its name on a disk that opens it by either form',
  async (form) => {
    const stored = 'Caf\u00e9'.normalize(form)
    await mkdir(join(path, stored))
    const open: Disk['open'] = (asked, ...rest) => systemDisk.open(asked.normalize(form), ...rest)
    const files = createFileRoot({ path, disk: { ...systemDisk, open }, reservedBytes: 0 })
    for (const asked of ['NFC', 'NFD'].map((other) => stored.normalize(other))) {
      expect(await folderOnDisk({ files }, asked)).toBe(stored)
      expect(await newFilePath({ files }, `${asked}/note.md`)).toBe(`${stored}/note.md`)
    }
  },
)
