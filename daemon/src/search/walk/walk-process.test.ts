import { writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildSegment } from '../segment/segment-of-vault.ts'
import { walkInProcess } from './walk-process.ts'

let folder: string
let root: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-walk-'))
  root = join(folder, 'vault')
  file = join(folder, 'segment')
  await mkdir(join(root, 'a/b'), { recursive: true })
  for (const path of ['1.md', 'a/2.md', 'a/b/3.md', 'a/b/picture.png']) await writeFile(join(root, path), path)
  await buildSegment({ root, target: file, maxNoteBytes: 1024, threads: 1 }, () => {})
})
afterEach(() => rm(folder, { recursive: true }))

const walk = (onFolders: (folders: readonly string[]) => void, signal = new AbortController().signal) =>
  walkInProcess({ root, file, signal, onFolders })

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
