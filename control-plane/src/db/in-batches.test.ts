import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createInBatches } from './in-batches.ts'

/** Work whose batches wait until the test ends them. */
function setUp({ most = 200 } = {}) {
  const batches: { items: number[]; end: () => Promise<void>; fail: () => Promise<void> }[] = []
  const double = createInBatches<number, number>({
    run: (items) => {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>()
      batches.push({
        items,
        end: () => {
          resolve(items.map((item) => item * 2))
          return setImmediate()
        },
        fail: () => {
          reject(new Error('no database'))
          return setImmediate()
        },
      })
      return promise
    },
    most,
  })
  return { double, batches, sizes: () => batches.map(({ items }) => items.length) }
}

test('one batch runs at a time; the next one takes what came meanwhile, each caller gets its own result', async () => {
  const { double, batches, sizes } = setUp()
  const results = [1, 2, 2, 3].map(double)
  expect(sizes()).toEqual([1])
  await batches[0]!.end()
  expect(sizes()).toEqual([1, 3])
  const later = double(4)
  await batches[1]!.end()
  await batches[2]!.end()
  expect(await Promise.all([...results, later])).toEqual([2, 4, 4, 6, 8])
})

test('no batch is larger than the limit', async () => {
  const { double, batches, sizes } = setUp({ most: 10 })
  const results = Array.from({ length: 25 }, (_, nth) => double(nth))
  for (let nth = 0; nth < 4; nth += 1) {
    while (batches.length === nth) await setImmediate()
    await batches[nth]!.end()
  }
  expect(sizes()).toEqual([1, 10, 10, 4])
  expect(await Promise.all(results)).toEqual(Array.from({ length: 25 }, (_, nth) => nth * 2))
})

test('the callers of one batch resume in several turns of the event loop', async () => {
  const { double, batches } = setUp()
  const first = double(0)
  let resumed = 0
  const results = Array.from({ length: 100 }, async (_, nth) => {
    await double(nth)
    resumed += 1
  })
  await batches[0]!.end()
  await first
  await batches[1]!.end()
  expect(resumed).toBeGreaterThan(0)
  expect(resumed).toBeLessThan(100)
  await Promise.all(results)
  expect(resumed).toBe(100)
})

test('a batch that fails fails each of its callers, and the next batch runs', async () => {
  const { double, batches } = setUp()
  const failing = Promise.allSettled([double(1)])
  const next = [double(2), double(3)]
  await batches[0]!.fail()
  expect(await failing).toMatchObject([{ status: 'rejected', reason: new Error('no database') }])
  await batches[1]!.end()
  expect(await Promise.all(next)).toEqual([4, 6])
})
