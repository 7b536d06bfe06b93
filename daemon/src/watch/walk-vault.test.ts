import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stampOf, type FileStamp } from '../files/file-stamp.ts'
import { adoptWalk } from './adopt-walk.ts'
import { Manifest } from './manifest.ts'
import { nothingRemembered, type RememberedFiles } from './remembered.ts'
import { slices } from './slices.ts'
import { rememberedFolders, walkVault } from './walk-vault.ts'

const PATHS = ['a.md', 'b/c/deep.md', 'b/x.md', 'b/y.md', 'z/last.md']

let root: string
const write = async (path: string, text = path) => {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

/** The files of the vault, remembered as they are now. */
async function remember(paths: readonly string[] = PATHS): Promise<RememberedFiles> {
  const stamps: FileStamp[] = []
  for (const path of paths) stamps.push(stampOf(await stat(join(root, path))))
  return {
    ...nothingRemembered,
    count: paths.length,
    numberOf: (path) => paths.indexOf(path),
    firstAtOrAfter: (path) => (paths.findIndex((each) => each >= path) + paths.length + 1) % (paths.length + 1),
    path: (number) => paths[number]!,
    stamp: (number) => stamps[number]!,
    size: (number) => stamps[number]!.size,
    hasStamp: (number, stamp) => JSON.stringify(stamps[number]) === JSON.stringify(stamp),
    isNote: () => true,
    title: () => 'Title',
    baseline: () => 'ab'.repeat(12),
    blob: () => 'cd'.repeat(20),
    problem: () => undefined,
  }
}

/** A manifest that remembers these files and knows nothing else. */
async function manifestOf(files: RememberedFiles): Promise<Manifest> {
  const manifest = new Manifest()
  const { adopt } = await manifest.compare(files)
  adopt()
  return manifest
}

/** The walk of a vault in which little has changed. */
const walk = (walking: Parameters<typeof walkVault>[0]) => walkVault(walking)!

const known = (manifest: Manifest) => Array.from(manifest.files(), ({ path }) => path).sort()

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-walk-'))
  for (const path of PATHS) await write(path)
})
afterEach(() => rm(root, { recursive: true }))

test('folders are remembered with those above them, which may hold no file', async () => {
  expect(rememberedFolders(await remember())).toEqual(['', 'b', 'b/c', 'z'])
})

test('a vault that has not changed is as it is remembered', async () => {
  const walked = walk({ root, files: await remember() })
  expect(walked).toMatchObject({ isThere: new Uint8Array(5).fill(1), others: [], left: [], notNormal: [] })
  expect(walked.folders.sort()).toEqual(['', 'b', 'b/c', 'z'])
})

test('what is new, gone or different is told from the rest; new folders and links are left alone', async () => {
  const files = await remember()
  await write('b/x.md', 'another text')
  await write('b/new.md')
  await write('n/in a new folder.md')
  await write('.hidden/h.md')
  await rm(join(root, 'z'), { recursive: true })
  await symlink(join(root, 'b'), join(root, 'z'))
  await rm(join(root, 'a.md'))
  await symlink('b/y.md', join(root, 'a.md'))

  const walked = walk({ root, files })
  expect([...walked.isThere]).toEqual([0, 1, 0, 1, 0])
  expect(walked.others.map(({ path }) => path).sort()).toEqual(['b/new.md', 'b/x.md'])
  expect(walked.folders.sort()).toEqual(['', 'b', 'b/c'])
  expect(walked.left).toEqual(['n'])
})

test('a vault that is away is no vault whose files are gone', async () => {
  const files = await remember()
  await rm(root, { recursive: true })
  expect(() => walkVault({ root, files })).toThrow()
  await mkdir(root)
})

test('a folder that cannot be read is left with all below it', async () => {
  const files = await remember()
  const read = (full: string) => {
    if (full === join(root, 'b')) throw Object.assign(new Error('not for us'), { code: 'EACCES' })
    return readdirSync(full, { withFileTypes: true })
  }
  const walked = walk({ root, files, read })
  expect(walked.left).toEqual(['b'])
  expect([...walked.isThere]).toEqual([1, 0, 0, 0, 1])
})

test('a manifest takes what a walk has found; what it knows by then is newer', async () => {
  const files = await remember()
  await write('b/x.md', 'another text')
  await write('b/new.md')
  const manifest = await manifestOf(files)
  const walked = walk({ root, files })
  const stamp = { size: 9, mtimeMs: 9, ctimeMs: 9, ino: 9 }
  manifest.putFile({ path: 'b/y.md', stamp, facts: undefined })
  manifest.putFile({ path: 'b/new.md', stamp, facts: undefined })

  expect(await adoptWalk(manifest, { files, walked }, slices())).toBe(true)
  expect(known(manifest)).toEqual([...PATHS, 'b/new.md'].sort())
  expect(manifest.count()).toBe(6)
  expect(manifest.file('b/y.md')!.stamp).toEqual(stamp)
  expect(manifest.file('b/new.md')!.stamp).toEqual(stamp)
  expect(manifest.file('b/x.md')!.facts).toBeUndefined()
  expect(manifest.unread().sort()).toEqual(['b/new.md', 'b/x.md', 'b/y.md'])
  expect([...manifest.children('b')].sort()).toEqual(['c', 'new.md', 'x.md', 'y.md'])
})

test('names in another normal form are found by either', async () => {
  const name = 'Cafe\u0301.md'
  await write(name)
  const files = await remember([name, ...PATHS])
  const manifest = await manifestOf(files)
  expect(await adoptWalk(manifest, { files, walked: walk({ root, files }) }, slices())).toBe(true)
  expect(manifest.onDisk('Caf\u00e9.md')).toBe(name)
  expect(manifest.count()).toBe(6)
})

test('a walk that compared with something else is not taken', async () => {
  const files = await remember()
  const manifest = await manifestOf(files)
  const walked = walk({ root, files })
  const { adopt } = await manifest.compare(await remember())
  adopt()
  expect(await adoptWalk(manifest, { files, walked }, slices())).toBe(false)
  expect(manifest.count()).toBe(0)
})

test('a vault in which too much has changed is not passed on file by file', async () => {
  const files = await remember()
  for (let number = 0; number <= 5000; number++) await writeFile(join(root, `n${number}.md`), '')
  expect(walkVault({ root, files })).toBeUndefined()
})
