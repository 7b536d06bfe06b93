import { expect, test } from 'vitest'
import { collectGarbage } from './collect-garbage.ts'
import { placeOf, Roster } from './roster.ts'

const withMembers = (...members: string[]) => {
  const roster = new Roster<string>()
  const places = members.map((member) => {
    const place = placeOf(member)
    roster.add(place)
    return place
  })
  return { roster, places }
}

test('members stand in the order in which they came', () => {
  const { roster } = withMembers('a', 'b', 'c')
  expect([...roster]).toEqual(['a', 'b', 'c'])
  expect(roster.first?.member).toBe('a')
  expect(roster.newest(2)).toEqual(['c', 'b'])
  expect(roster.newest(9)).toEqual(['c', 'b', 'a'])
})

test.each([
  ['the first', 0, ['b', 'c']],
  ['one in the middle', 1, ['a', 'c']],
  ['the last', 2, ['a', 'b']],
])('%s leaves the others as they were', (_which, index, left) => {
  const { roster, places } = withMembers('a', 'b', 'c')
  expect(roster.remove(places[index]!)).toBe(true)
  expect([...roster]).toEqual(left)
  expect(roster.newest(9)).toEqual(left.toReversed())
  expect(roster.remove(places[index]!)).toBe(false)
  expect([...roster]).toEqual(left)
})

test('a place that was removed can be added again, at the end', () => {
  const { roster, places } = withMembers('a', 'b')
  roster.remove(places[0]!)
  roster.add(places[0]!)
  expect([...roster]).toEqual(['b', 'a'])
})

test('a roster is empty before the first and after the last', () => {
  const { roster, places } = withMembers('a')
  expect(roster.isEmpty).toBe(false)
  roster.remove(places[0]!)
  expect(roster.isEmpty).toBe(true)
  expect(roster.first).toBeUndefined()
  expect([...roster]).toEqual([])
})

test('a place is in one roster at most', () => {
  const { roster, places } = withMembers('a')
  const other = new Roster<string>()
  expect(() => other.add(places[0]!)).toThrow('in a roster')
  expect(other.remove(places[0]!)).toBe(false)
  expect([...roster]).toEqual(['a'])
})

const OPEN = 64
const BYTES = 512

/** Bytes that remain after minor collections when 10,000 members are added beside 63 others and removed again. */
function bytesLeft({ add }: { add: (member: Uint8Array) => () => void }): number {
  collectGarbage({ type: 'major' })
  const before = process.memoryUsage().arrayBuffers
  const removals: (() => void)[] = Array.from({ length: OPEN }, () => () => {})
  for (let index = 0; index < 10_000; index += 1) {
    removals[index % OPEN]!()
    removals[index % OPEN] = add(new Uint8Array(BYTES))
    if (index % 1_000 === 0) for (const _ of [1, 2]) collectGarbage({ type: 'minor' })
  }
  for (const remove of removals) remove()
  for (const _ of [1, 2]) collectGarbage({ type: 'minor' })
  return process.memoryUsage().arrayBuffers - before
}

test('what left a roster is young garbage, which it is not after leaving a Set', () => {
  const roster = new Roster<Uint8Array>()
  const left = bytesLeft({
    add: (member) => {
      const place = placeOf(member)
      roster.add(place)
      return () => void roster.remove(place)
    },
  })
  const set = new Set<Uint8Array>()
  const leftOfSet = bytesLeft({
    add: (member) => {
      set.add(member)
      return () => void set.delete(member)
    },
  })
  // Each of the ten pairs of collections may find 64 open members and make them old.
  expect(left).toBeLessThanOrEqual(11 * OPEN * BYTES)
  expect(leftOfSet).toBeGreaterThan(3 * left)
})
