import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLogFile } from './log-file.ts'

let base: string
let file: string
let earlier: string

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-log-file-'))
  file = join(base, 'a.log')
  earlier = join(base, 'a.1.log')
})
afterEach(async () => {
  await rm(base, { recursive: true })
})

const texts = async () => [await readFile(earlier, 'utf8'), await readFile(file, 'utf8')]

test('a file that is large becomes the earlier one, in place of the one before', async () => {
  const log = openLogFile({ file, earlier, maxBytes: 10 })
  for (const line of ['line 1\n', 'line 2\n', 'line 3\n', 'line 4\n', 'line 5\n']) log.write(line)
  log.close()
  log.write('lost\n')
  expect(await texts()).toEqual(['line 3\nline 4\n', 'line 5\n'])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('what an earlier run wrote counts, and stays', async () => {
  await writeFile(file, 'of a run before\n')
  const log = openLogFile({ file, earlier, maxBytes: 10 })
  log.write('line 1\n')
  log.close()
  expect(await texts()).toEqual(['of a run before\n', 'line 1\n'])
})

test('where the earlier file cannot be replaced, the lines stay in the one file', async () => {
  await mkdir(earlier)
  const log = openLogFile({ file, earlier, maxBytes: 10 })
  for (const line of ['line 1\n', 'line 2\n', 'line 3\n', 'line 4\n', 'line 5\n']) log.write(line)
  log.close()
  expect(await readFile(file, 'utf8')).toBe('line 1\nline 2\nline 3\nline 4\nline 5\n')
})

test('a file that is gone, as after a try that could open no new one, begins anew', async () => {
  const log = openLogFile({ file, earlier, maxBytes: 10 })
  for (const line of ['line 1\n', 'line 2\n']) log.write(line)
  await rename(file, earlier)
  log.write('line 3\n')
  log.close()
  expect(await texts()).toEqual(['line 1\nline 2\n', 'line 3\n'])
})
