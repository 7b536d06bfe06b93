import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildSegment } from '../segment/segment-of-vault.ts'
import { createWalks } from './walk-process.ts'

let folder: string
let root: string
let file: string
const walks = createWalks()
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-walk-'))
  root = join(folder, 'vault')
  file = join(folder, 'segment')
  await mkdir(join(root, 'a/b'), { recursive: true })
  for (const path of ['1.md', 'a/2.md', 'a/b/3.md', 'a/b/picture.png']) await writeFile(join(root, path), path)
  await buildSegment({ root, target: file, maxNoteBytes: 1024, threads: 1, owner: process.ppid }, () => {})
})
afterEach(() => rm(folder, { recursive: true }))

const walk = (onFolders: (folders: readonly string[]) => void, signal = new AbortController().signal) =>
  walks.walk({ root, file, signal, onFolders })

test('the folders are told before they are read, so that no change falls in between', async () => {
  let told: readonly string[] = []
  await writeFile(join(root, '1.md'), 'changed before')
  const walked = await walk((folders) => {
    told = folders
    // Synchronous, like watching: the process continues after this returns.
    writeFileSync(join(root, 'a/new.md'), 'new')
  })
  expect(told).toEqual(['', 'a', 'a/b'])
  expect(walked?.folders).toEqual(['', 'a', 'a/b'])
  expect([...walked!.isThere]).toEqual([0, 1, 1, 1])
  expect(walked?.others.map(({ path }) => path)).toEqual(['1.md', 'a/new.md'])
})

test('a walk that is given up, and one that cannot begin, reject', async () => {
  const giveUp = new AbortController()
  await expect(walk(() => giveUp.abort(), giveUp.signal)).rejects.toThrow('SIGKILL')
  await expect(walk(() => {}, giveUp.signal)).rejects.toThrow()
  await truncate(file, 100)
  const told: unknown[] = []
  await expect(walk((folders) => told.push(folders))).rejects.toThrow('cut short')
  expect(told).toEqual([])
})

/** The processes that walk by an index of this test. */
function processes(): number {
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return children.filter((child) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(folder)
    } catch {
      return false // has ended meanwhile
    }
  }).length
}

test('a process is begun before the vault is open, for the largest index, and ends when it is not needed', async () => {
  const index = join(folder, 'index')
  for (const vault of ['small', 'large', 'empty']) await mkdir(join(index, vault), { recursive: true })
  await writeFile(join(index, 'small/segment'), 'x')
  await rename(file, join(index, 'large/segment'))
  createWalks().begin(index)
  createWalks({ largeBytes: 1 }).begin(join(folder, 'no index'))
  expect(processes()).toBe(0)

  const ahead = createWalks({ largeBytes: 1 })
  ahead.begin(index)
  await expect.poll(processes).toBe(1)
  const walking = { root, file: join(index, 'large/segment'), signal: new AbortController().signal, onFolders() {} }
  const walked = ahead.walk(walking)
  await expect.poll(processes).toBe(1)
  expect([...(await walked)!.isThere]).toEqual([1, 1, 1, 1])
  expect((await ahead.walk(walking))?.folders).toEqual(['', 'a', 'a/b'])

  ahead.begin(index)
  ahead.close()
  ahead.close()
  await expect.poll(processes).toBe(0)
})
