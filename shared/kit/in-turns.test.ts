import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createInTurns } from './in-turns.ts'

test('so many run at once, in the order of the calls, and a failure gives its place to the next', async () => {
  const inTurn = createInTurns(2)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const start = (name: string) =>
    inTurn(() => {
      begun.push(name)
      const end = Promise.withResolvers<string>()
      ends.set(name, end)
      return end.promise
    })

  const [a, b, c, d] = [start('a'), start('b'), start('c'), start('d')]
  expect(begun).toEqual(['a', 'b'])
  const failed = expect(a).rejects.toThrow('lost')
  ends.get('a')!.reject(new Error('lost'))
  await failed
  await setImmediate()
  expect(begun).toEqual(['a', 'b', 'c'])
  ends.get('b')!.resolve('B')
  expect(await b).toBe('B')
  await setImmediate()
  const e = start('e')
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  for (const name of ['c', 'd']) ends.get(name)!.resolve(name.toUpperCase())
  expect(await Promise.all([c, d])).toEqual(['C', 'D'])
  await setImmediate()
  ends.get('e')!.resolve('E')
  expect(await e).toBe('E')
})
