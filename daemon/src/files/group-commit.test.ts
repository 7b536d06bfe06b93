import { expect, test } from 'vitest'
import { createGroupCommit } from './group-commit.ts'

/** A sync that the test ends. */
function manualSync() {
  const started: { end: () => void; fail: (error: Error) => void }[] = []
  const sync = () => new Promise<void>((end, fail) => void started.push({ end, fail }))
  return { started, sync }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('who comes while a sync runs shares the next one', async () => {
  const { started, sync } = manualSync()
  const commit = createGroupCommit()
  const done: string[] = []
  const call = (name: string) => void commit('folder', sync).then(() => done.push(name))
  call('first')
  call('second')
  call('third')
  await settled()
  expect(started).toHaveLength(1)
  started[0]!.end()
  await settled()
  expect([done, started.length]).toEqual([['first'], 2])
  call('fourth')
  started[1]!.end()
  await settled()
  expect([done, started.length]).toEqual([['first', 'second', 'third'], 3])
  started[2]!.end()
  await settled()
  expect(done.at(-1)).toBe('fourth')
  call('fifth')
  await settled()
  expect(started).toHaveLength(4)
})

test('a sync that fails fails its own group alone, and different things do not wait for one another', async () => {
  const { started, sync } = manualSync()
  const commit = createGroupCommit()
  const first = commit('a', sync)
  const second = commit('a', sync)
  const other = commit('b', sync)
  await settled()
  expect(started).toHaveLength(2)
  started[0]!.fail(new Error('EIO'))
  await expect(first).rejects.toThrow('EIO')
  await settled()
  started[2]!.end()
  started[1]!.end()
  await Promise.all([second, other])
})
