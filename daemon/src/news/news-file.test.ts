import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { newsFile, type NewsFile } from './news-file.ts'
import type { NewsEntry } from './news-state.ts'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-news-file-'))))
afterEach(() => removeFolder(folder))

const open = (path: string) =>
  newsFile({ path, disk: systemDisk, log: createLog({ service: 'test', level: 'silent' }) })
const visit = (reader: string, at: number): NewsEntry => ({ kind: 'since', reader, at })
const visitsIn = async (file: NewsFile, readers: string[]) => {
  const state = await file.read()
  return readers.map((reader) => state.since(reader))
}

/** Makes the files of a folder impossible to read, and possible again. */
async function hide(path: string): Promise<() => Promise<void>> {
  await rename(path, `${path}.away`)
  await writeFile(path, 'no folder')
  return async () => {
    await rm(path)
    await rename(`${path}.away`, path)
  }
}

test('a file that cannot be read for a while forgets nobody', async () => {
  verifies('news.durable')
  const path = join(folder, 'news/v.jsonl')
  const first = open(path)
  await first.add(visit('early', 1))
  await first.close()

  const show = await hide(dirname(path))
  const file = open(path)
  const reading = file.read()
  file.addLater(visit('meanwhile', 2))
  await expect(reading).rejects.toThrow()
  file.addLater(visit('later', 3))
  await expect(file.read()).rejects.toThrow()
  await show()
  expect(await visitsIn(file, ['early', 'meanwhile', 'later'])).toEqual([1, 2, 3])
  await file.close()
  expect(await visitsIn(open(path), ['early', 'meanwhile', 'later'])).toEqual([1, 2, 3])
})

test('a file that cannot be made shorter is used as it is', async () => {
  verifies('news.durable')
  // Its name is as long as one may be, so there is none for the shorter file.
  const path = join(folder, `${'v'.repeat(249)}.jsonl`)
  const text = `${JSON.stringify(visit('often', 1))}\n`.repeat(40_000) + `${JSON.stringify(visit('often', 7))}\n`
  await writeFile(path, text)
  const file = open(path)
  expect(await visitsIn(file, ['often'])).toEqual([7])
  await file.add(visit('next', 8))
  await file.close()
  expect(await readFile(path, 'utf8')).toBe(`${text}${JSON.stringify(visit('next', 8))}\n`)
})

test('what is no file of news is left alone, and news begin with it', async () => {
  verifies('news.durable')
  const path = join(folder, 'v.jsonl')
  await mkdir(path)
  expect(await visitsIn(open(path), ['early'])).toEqual([undefined])
})
