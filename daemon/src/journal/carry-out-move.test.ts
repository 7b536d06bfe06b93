import { mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { createFileRoot, type FileRoot } from '../files/file-root.ts'
import { carryOutMove } from './carry-out-move.ts'
import type { MoveIntent } from './move-intent.ts'

let path: string
let root: FileRoot
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'svc-move-'))
  root = createFileRoot({ path, disk: systemDisk, reservedBytes: 0 })
})
afterEach(() => removeFolder(path))

const inodeAt = async (name: string) => (await systemDisk.lstat(join(path, name))).ino
const intentOf = async (from: string, to: string): Promise<MoveIntent> => ({
  format: 1,
  from,
  to,
  moved: await inodeAt(from),
  rewrites: [],
})
const namesNow = async () => (await readdir(path)).filter((name) => name !== '.svc').toSorted()

test.each([
  ['Note.md', 'note.md'],
  ['cafe\u0301.md', 'caf\u00E9.md'],
])('a move from %s to %s overwrites no file that appears there at the last moment', async (from, to) => {
  verifies('notes.no-foreign-overwrite')
  await writeFile(join(path, from), 'moved')
  const intent = await intentOf(from, to)
  await writeFile(join(path, to), 'of somebody else')
  expect(await carryOutMove({ root, intent })).toBe(false)
  expect(await Promise.all([from, to].map((name) => readFile(join(path, name), 'utf8')))).toEqual([
    'moved',
    'of somebody else',
  ])
})

test('a move of a folder to other capitals replaces no empty folder that appears there at the last moment', async () => {
  verifies('notes.no-foreign-overwrite')
  await mkdir(join(path, 'Notes'))
  const intent = await intentOf('Notes', 'notes')
  await mkdir(join(path, 'notes'))
  expect(await carryOutMove({ root, intent })).toBe(false)
  expect(await namesNow()).toEqual(['Notes', 'notes'])
})

test('a file and a folder get other capitals', async () => {
  await writeFile(join(path, 'Note.md'), 'moved')
  await mkdir(join(path, 'Folder'))
  for (const [from, to] of [
    ['Note.md', 'note.md'],
    ['Folder', 'folder'],
  ] as const)
    expect(await carryOutMove({ root, intent: await intentOf(from, to) })).toBe(true)
  expect(await namesNow()).toEqual(['folder', 'note.md'])
})
