import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortInSlices } from './sort-in-slices.ts'

test('items are sorted as at once, equal ones in the order in which they came', async () => {
  const items = fc.array(fc.nat(20), { maxLength: 700 })
  const property = fc.asyncProperty(items, async (keys) => {
    const numbered = keys.map((key, number) => ({ key, number }))
    const compare = (a: { key: number }, b: { key: number }) => a.key - b.key
    expect(await sortInSlices(numbered, compare, () => undefined)).toEqual(numbered.toSorted(compare))
  })
  await fc.assert(property, { numRuns: 60 })
})

test('the sorting pauses all along', async () => {
  const items = Array.from({ length: 10_000 }, (_, number) => (number * 7919) % 10_000)
  let compared = 0
  let longest = 0
  const pause = () => {
    longest = Math.max(longest, compared)
    compared = 0
    return undefined
  }
  await sortInSlices(items, (a, b) => (compared++, a - b), pause)
  expect(Math.max(longest, compared)).toBeLessThan(1000)
})
