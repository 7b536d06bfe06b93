import { expect, test } from 'vitest'
import type { ChangeQueue } from './change-queue.ts'
import { commitWriter } from './commit-writer.ts'
import { pendingChanges } from './pending-changes.ts'
import type { PendingCommit } from './pending-commits.ts'
import type { Repository } from './repository.ts'

const ann = { id: 'usr_ann', name: 'Ann' }

/** A writer with a git that takes a second for each run. `meanwhile` happens while the first run writes. */
function writerWith(meanwhile: () => void) {
  let nowMs = 40_000
  const pending = pendingChanges()
  const runs: string[][] = []
  const repository = {
    isEmpty: () => true,
    tidy: async () => {},
    async write(commits: readonly PendingCommit[]) {
      runs.push(commits.flatMap(({ files }) => files.map(({ path, bytes }) => `${path}:${bytes?.toString()}`)))
      nowMs += 1000
      if (runs.length === 1) meanwhile()
    },
  } as unknown as Repository
  const queue = { begin() {}, keep() {} } as unknown as ChangeQueue
  let lastId = 0
  return {
    runs,
    pending,
    now: () => nowMs,
    save: (path: string, text: string, atMs = nowMs) =>
      pending.add({ id: lastId++, kind: 'changed', path, bytes: Buffer.from(text), author: ann, atMs }),
    write: commitWriter({ repository, queue, pending }).write,
  }
}

test('what is saved while git writes is merged with what follows, and is not written by the same run', async () => {
  const writer = writerWith(() => writer.save('b.md', 'first'))
  writer.save('a.md', 'due', 0)
  await writer.write(writer.now)
  expect(writer.runs).toEqual([['a.md:due']])
  writer.save('b.md', 'second')
  expect(writer.pending.due(Number.POSITIVE_INFINITY).map(({ files }) => files[0]?.bytes?.toString())).toEqual([
    'second',
  ])
})

test('what becomes due while git writes is written too', async () => {
  const writer = writerWith(() => {})
  writer.save('a.md', 'due', 0)
  writer.save('b.md', 'due a second later', 11_000)
  await writer.write(writer.now)
  expect(writer.runs).toEqual([['a.md:due'], ['b.md:due a second later']])
})
