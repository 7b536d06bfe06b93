import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inTellingOrder, settlePlaces, type Claim } from './settle-places.ts'

const move = (from: string, to: string, now: Claim['now'] = 'taken') => ({ from, to, now })
const back = (to: string, now: Claim['now'] = 'free') => ({ from: undefined, to, now })
const met = (claims: readonly Claim[], freed: string[] = []) =>
  settlePlaces(claims, new Set(freed)).met.map(({ from, to }) => [from, to])

test('notes follow each other, exchange their paths, and take those of notes that are removed', () => {
  expect(met([move('b', 'a', 'free'), move('c', 'b')])).toEqual([
    ['b', 'a'],
    ['c', 'b'],
  ])
  expect(met([move('a', 'b'), move('b', 'a')])).toHaveLength(2)
  expect(met([move('b', 'a'), back('c', 'taken')], ['a', 'c'])).toHaveLength(2)
})

test('a note that stays is in the way of all that would follow it', () => {
  expect(met([move('b', 'a'), move('c', 'b'), move('d', 'c'), move('x', 'y', 'free')])).toEqual([['x', 'y']])
  expect(met([move('b', 'a', 'unusable'), back('b', 'taken')], ['a'])).toEqual([])
})

test('two that want one path: the one that comes back gets it', () => {
  expect(met([move('b', 'a', 'free'), back('a')])).toEqual([[undefined, 'a']])
  expect(met([move('b', 'a', 'free'), move('c', 'A', 'free'), move('d', 'b')])).toEqual([
    ['b', 'a'],
    ['d', 'b'],
  ])
})

const paths = ['a', 'b', 'c', 'd', 'e', 'f']

/** Notes at distinct paths, each with a target path. */
const claimsOf = fc
  .tuple(fc.shuffledSubarray(paths), fc.array(fc.constantFrom(...paths), { minLength: 6, maxLength: 6 }))
  .map(([from, to]) => from.map((path, index) => ({ from: path, to: to[index]! })).filter((one) => one.from !== one.to))

test('whatever is claimed, no two notes end at one path, and as many move as can', () => {
  fc.assert(
    fc.property(claimsOf, fc.subarray(paths), (wanted, others) => {
      const there = new Set([...wanted.map(({ from }) => from), ...others])
      const claims = wanted.map((one) => ({ ...one, now: there.has(one.to) ? ('taken' as const) : ('free' as const) }))
      const { met: kept, unmet } = settlePlaces(claims, new Set())
      const gone = new Set(kept.map(({ from }) => from))
      const after = [...[...there].filter((path) => !gone.has(path)), ...kept.map(({ to }) => to)]
      expect(new Set(after).size).toBe(there.size)
      // No refused note could have taken its path beside the others.
      const taken = new Set(after)
      for (const { from, to } of unmet) if (from !== to) expect(taken.has(to)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('whatever moves at once, one after the other leads to the same, and no path ever has two notes', () => {
  fc.assert(
    fc.property(claimsOf, (wanted) => {
      const claims = wanted.map((one) => ({ ...one, now: 'taken' as const }))
      const moves = settlePlaces(claims, new Set(paths.filter((path) => !wanted.some(({ from }) => from === path)))).met
      const now = new Map(moves.map(({ from }) => [from, from]))
      let spares = 0
      for (const { from, to, at } of inTellingOrder(moves, () => `spare${spares++}`)) {
        const note = now.get(from)!
        expect(now.has(to)).toBe(false)
        expect(moves.find((one) => one.from === note)!.to).toBe(at)
        now.delete(from)
        now.set(to, note)
      }
      expect(Object.fromEntries(now)).toEqual(Object.fromEntries(moves.map(({ from, to }) => [to, from])))
    }),
    { numRuns: 2000 },
  )
})
