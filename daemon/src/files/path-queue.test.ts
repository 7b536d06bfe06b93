import { expect, test } from 'vitest'
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
