import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createPathQueue } from './path-queue.ts'

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('work on one path runs in order, on others at once', async () => {
  const queue = createPathQueue()
  const order: string[] = []
  const first = gate()
  void queue.run('a', async () => {
    await first.opened
    order.push('a1')
  })
  void queue.run('a', async () => void order.push('a2'))
  void queue.run('b', async () => void order.push('b1'))
  await settled()
  expect([order, queue.pending()]).toEqual([['b1'], 2])
  first.open()
  expect(await queue.drain()).toBe(2)
  expect(order).toEqual(['b1', 'a1', 'a2'])
})

test('work that runs alone waits for what came before, and what comes later waits for it', async () => {
  const queue = createPathQueue()
  const order: string[] = []
  const [first, exclusive] = [gate(), gate()]
  void queue.run('a', async () => {
    await first.opened
    await queue.run('/new', async () => void order.push('nested'))
    order.push('before')
  })
  void queue.runAlone(async () => {
    order.push('alone')
    await exclusive.opened
  })
  void queue.run('b', async () => void order.push('after'))
  await settled()
  expect(order).toEqual([])
  first.open()
  await settled()
  expect(order).toEqual(['nested', 'before', 'alone'])
  exclusive.open()
  await queue.drain()
  expect(order.at(-1)).toBe('after')
})

test('work that fails stops nothing', async () => {
  const queue = createPathQueue()
  const failing = queue.run('a', async () => {
    throw new Error('failed')
  })
  const alone = queue.runAlone(async () => 'ran')
  await expect(failing).rejects.toThrow('failed')
  expect(await alone).toBe('ran')
})

test('a queue that is closed has done what it accepted and refuses what comes later', async () => {
  verifies('vault.closing')
  const queue = createPathQueue()
  const done: string[] = []
  const work = (name: string) => async () => {
    await new Promise((resolve) => setImmediate(resolve))
    done.push(name)
    return name
  }
  const accepted = [queue.run('a', work('a')), queue.runAlone(work('alone')), queue.run('b', work('b'))]
  await queue.close()
  expect(done).toEqual(['a', 'alone', 'b'])
  expect(await Promise.all(accepted)).toEqual(['a', 'alone', 'b'])
  await expect(queue.run('a', work('late'))).rejects.toMatchObject({ code: 'vault_closing' })
  await expect(queue.runAlone(work('late'))).rejects.toMatchObject({ code: 'vault_closing' })
})
