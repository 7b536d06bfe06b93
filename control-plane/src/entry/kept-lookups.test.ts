import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { keepLookups } from './kept-lookups.ts'

/** Lookups in a table, on a clock that only the test moves. Each query waits until the test answers it. */
function setUp({ maxKept = 100 } = {}) {
  let nowMs = 0
  const table = new Map<string, string>()
  const queries: { keys: string[]; answer: () => Promise<void>; fail: () => Promise<void> }[] = []
  const lookups = keepLookups<string>({
    readAll: (keys) => {
      const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>()
      queries.push({
        keys,
        answer: () => {
          resolve(new Map(keys.flatMap((key) => (table.has(key) ? [[key, table.get(key)!]] : []))))
          return setImmediate()
        },
        fail: () => {
          reject(new Error('no database'))
          return setImmediate()
        },
      })
      return promise
    },
    freshMs: 3_000,
    maxKept,
    clock: { monotonic: () => nowMs },
  })
  return { lookups, table, queries, pass: (ms: number) => void (nowMs += ms) }
}

test('a kept value is there at once, also that there is none', async () => {
  const { lookups, table, queries } = setUp()
  table.set('a', 'first')
  const [found, missing] = [lookups.find('a'), lookups.find('b')]
  await queries[0]!.answer()
  await queries[1]!.answer()
  expect([await found, await missing]).toEqual(['first', undefined])
  expect([lookups.find('a'), lookups.find('b')]).toEqual(['first', undefined])
  expect([lookups.has('a'), lookups.has('b')]).toEqual([true, false])
  expect(queries).toHaveLength(2)
})

test('all keys asked for while a query runs are read by the next, each once', async () => {
  const { lookups, table, queries } = setUp()
  for (let nth = 0; nth < 150; nth += 1) table.set(`key-${nth}`, `value-${nth}`)
  const asked = [...table.keys(), ...table.keys()].map((key) => lookups.find(key))
  expect(queries.map(({ keys }) => keys.length)).toEqual([1])
  await queries[0]!.answer()
  expect(queries.map(({ keys }) => keys.length)).toEqual([1, 149])
  await queries[1]!.answer()
  expect(await Promise.all(asked)).toEqual([...table.values(), ...table.values()])
})

test('no query reads more than 200 keys', async () => {
  const { lookups, queries } = setUp()
  const asked = Array.from({ length: 450 }, (_, nth) => lookups.find(`key-${nth}`))
  for (let nth = 0; nth < 4; nth += 1) await (await vi.waitUntil(() => queries[nth])).answer()
  await Promise.all(asked)
  expect(queries.map(({ keys }) => keys.length)).toEqual([1, 200, 200, 49])
})

test('a key in use is read again before its value is too old, and nobody waits for it', async () => {
  const { lookups, table, queries, pass } = setUp()
  table.set('a', 'first')
  const found = lookups.find('a')
  pass(500)
  await queries[0]!.answer()
  await found
  pass(1_000)
  table.set('a', 'second')
  expect(lookups.find('a')).toBe('first')
  expect(lookups.find('a')).toBe('first')
  expect(queries).toHaveLength(2)
  await queries[1]!.answer()
  expect(lookups.find('a')).toBe('second')
})

test('a value that is too old, counted from the start of its query, is not returned', async () => {
  const { lookups, table, queries, pass } = setUp()
  table.set('a', 'first')
  const found = lookups.find('a')
  pass(1_000)
  await queries[0]!.answer()
  await found
  pass(2_000)
  table.delete('a')
  const later = lookups.find('a')
  expect(later).toBeInstanceOf(Promise)
  await queries[1]!.answer()
  expect(await later).toBeUndefined()
})

test('a query that fails fails for who waits, and is tried again', async () => {
  const { lookups, table, queries, pass } = setUp()
  const failing = expect(lookups.find('a')).rejects.toThrow('no database')
  await queries[0]!.fail()
  await failing
  table.set('a', 'first')
  const found = lookups.find('a')
  await queries[1]!.answer()
  expect(await found).toBe('first')

  pass(2_000)
  expect(lookups.find('a')).toBe('first')
  await queries[2]!.fail()
  expect(lookups.find('a')).toBe('first')
})

test('a forgotten key is read anew, also when it is forgotten while it is read', async () => {
  const { lookups, table, queries } = setUp()
  table.set('a', 'first')
  const before = lookups.find('a')
  lookups.forget('a')
  const after = lookups.find('a')
  await queries[0]!.answer()
  table.set('a', 'second')
  await queries[1]!.answer()
  expect([await before, await after, lookups.find('a')]).toEqual(['first', 'second', 'second'])

  lookups.forgetAll()
  const again = lookups.find('a')
  lookups.forgetWhere(() => false)
  await queries[2]!.answer()
  await again
  expect(lookups.find('a')).toBeInstanceOf(Promise)
  await queries[3]!.answer()
  lookups.forgetWhere((value) => value === 'second')
  expect(lookups.has('a')).toBe(false)
})

test('more keys than may be kept are forgotten together', async () => {
  const { lookups, table, queries } = setUp({ maxKept: 2 })
  for (const key of ['a', 'b', 'c']) {
    table.set(key, key)
    const found = lookups.find(key)
    await queries.at(-1)!.answer()
    await found
  }
  expect(['a', 'b', 'c'].map((key) => lookups.has(key))).toEqual([false, false, true])
})
