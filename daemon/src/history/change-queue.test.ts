import { fstatSync } from 'node:fs'
import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { until } from '../../../test/support/until.ts'
import { verifies } from '../../../test/requirements.ts'
import { outsideAuthor } from '../entry/author.ts'
import { changeQueue } from './change-queue.ts'
import type { Change } from './pending-commits.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-queue-'))
})
afterEach(() => removeFolder(folder))

const log = createLog({ service: 'test', level: 'fatal' })
const change = (id: number, text: string): Change => ({
  id,
  kind: 'changed',
  path: 'a.md',
  bytes: Buffer.from(text),
  author: outsideAuthor,
  atMs: 0,
})

/** A queue whose syncs end on command. Each sync has the size and the inode of its file when it began. */
function openQueue() {
  const path = join(folder, 'queue')
  const syncs: { size: number; ino: number; end(): void }[] = []
  const sync = async (fd: number) => {
    const { size, ino } = fstatSync(fd)
    const { promise, resolve } = Promise.withResolvers<void>()
    syncs.push({ size, ino, end: resolve })
    await promise
    // The file is still open.
    fstatSync(fd)
  }
  return { path, syncs, queue: changeQueue({ path, log, sync }) }
}
const sizeOf = async (path: string) => (await stat(path)).size

test('a change that is queued during a sync is synced by the next one', async () => {
  verifies('history.queue')
  const { path, syncs, queue } = openQueue()
  queue.add(change(1, 'one'))
  queue.add(change(2, 'two'))
  await until('the first sync has begun', async () => syncs.length === 1)
  expect(syncs[0]!.size).toBe(await sizeOf(path))
  queue.add(change(3, 'three'))
  queue.close()
  syncs[0]!.end()
  await until('the second sync has begun', async () => syncs.length === 2)
  expect(syncs[1]!.size).toBe(await sizeOf(path))
  syncs[1]!.end()
})

test('a queue that is rewritten is synced, and so is what comes after that', async () => {
  verifies('history.queue')
  const { path, syncs, queue } = openQueue()
  const large = 'x'.repeat(1_500_000)
  queue.add(change(1, large))
  queue.add(change(2, 'kept'))
  await until('the first sync has begun', async () => syncs.length === 1)
  queue.keep([change(2, 'kept')])
  const { size, ino } = await stat(path)
  expect(size).toBeLessThan(large.length)
  // The sync of the old file still runs.
  await until('the new file is synced', async () => syncs.some((sync) => sync.ino === ino && sync.size === size))
  queue.add(change(3, 'later'))
  await until('the later change is synced', async () => syncs.some((sync) => sync.ino === ino && sync.size > size))
  queue.close()
  for (const { end } of syncs) end()
  expect((await readFile(path)).includes('later')).toBe(true)
})
