import { link, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { systemDisk, type Disk } from '../files/disk/disk.ts'
import { createFileRoot, type FileRoot } from '../files/file-root.ts'
import { newName } from '../files/stage-file.ts'
import { carryOutMove, recoverMove, releaseMove } from './carry-out-move.ts'
import { moveIntent, type MoveIntent } from './move-intent.ts'

let path: string
let root: FileRoot
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'svc-move-'))
  root = createFileRoot({ path, disk: systemDisk, reservedBytes: 0 })
})
afterEach(() => removeFolder(path))

const identityAt = async (name: string) => {
  const { ino, size, mtimeMs } = await systemDisk.lstat(join(path, name))
  return { ino, size, mtimeMs }
}
const intentOf = async (from: string, to: string): Promise<MoveIntent> => ({
  format: 1,
  from,
  to,
  moved: (await identityAt(from)).ino,
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

describe('a finished move whose intent cannot be removed at first is not undone', () => {
  const changes = {
    'after the moved note is saved': async () => {
      await writeFile(join(path, 'saved'), 'typed')
      await rename(join(path, 'saved'), join(path, 'new.md'))
    },
    'after it is deleted': () => rm(join(path, 'new.md')),
  }
  // The failing step, by the name of the file that it renames or the folder that it opens.
  const steps = { rename: 'move.json', open: 'tmp' } as const
  const cases = Object.entries(changes).flatMap(([what, change]) =>
    (['rename', 'open'] as const).map((step) => ({ what, change, step })),
  )

  test.each(cases)('$what, where a first $step failed', async ({ change, step }) => {
    verifies('links.move-crash')
    await mkdir(join(path, '.svc/tmp'), { recursive: true })
    await writeFile(join(path, 'old.md'), 'moved')
    await writeFile(join(path, 'link.md'), '[[old]]')
    const staged = newName()
    await writeFile(join(path, '.svc/tmp', staged), '[[new]]')
    const after = await identityAt(`.svc/tmp/${staged}`)
    const rewrite = { path: 'link.md', staged, held: newName(), before: await identityAt('link.md'), after }
    const intent = { ...(await intentOf('old.md', 'new.md')), rewrites: [rewrite] }
    await moveIntent.write(root, intent)
    expect(await carryOutMove({ root, intent })).toBe(true)

    let failures = 0
    const failing = ((file: string, ...rest: [never]) => {
      if (basename(file) === steps[step] && failures++ === 0)
        throw Object.assign(new Error('injected'), { code: 'EIO' })
      return (systemDisk[step] as (...args: unknown[]) => unknown)(file, ...rest)
    }) as never
    const disk: Disk = { ...systemDisk, [step]: failing }
    await releaseMove({ root: createFileRoot({ path, disk, reservedBytes: 0 }), intent }).catch(() => {})
    expect(failures).toBeGreaterThan(0)
    await change()
    await recoverMove(root)
    expect(await readFile(join(path, 'link.md'), 'utf8')).toBe('[[new]]')
    expect(await readdir(join(path, '.svc'))).toEqual(['tmp'])
  })
})

test('a new note at the old path of a finished move stays, also with the inode of the original', async () => {
  verifies('notes.no-foreign-overwrite')
  await mkdir(join(path, '.svc/tmp'), { recursive: true })
  await writeFile(join(path, 'new.md'), 'moved and rewritten')
  await writeFile(join(path, 'old.md'), 'of somebody else')
  const [before, after] = await Promise.all([identityAt('old.md'), identityAt('new.md')])
  const rewrite = { path: 'old.md', staged: newName(), held: newName(), before, after }
  await moveIntent.write(root, { ...(await intentOf('old.md', 'new.md')), moved: before.ino, rewrites: [rewrite] })
  expect(await recoverMove(root)).toBe(true)
  expect(await readFile(join(path, 'old.md'), 'utf8')).toBe('of somebody else')
})

test('of the two names that a kill leaves, only the new one stays', async () => {
  verifies('links.move-crash')
  await writeFile(join(path, 'old.md'), 'moved')
  const intent = await intentOf('old.md', 'new.md')
  await moveIntent.write(root, intent)
  await link(join(path, 'old.md'), join(path, 'new.md'))
  expect(await recoverMove(root)).toBe(true)
  expect(await namesNow()).toEqual(['new.md'])
})
