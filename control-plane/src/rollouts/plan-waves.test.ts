import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planWaves, type FleetMember } from './plan-waves.ts'

const fleetOf = (size: number, isAsleep: (index: number) => boolean = () => false): FleetMember[] =>
  Array.from({ length: size }, (_unused, index) => ({ orgId: `org_${index}`, sleeping: isAsleep(index) }))
const settings = { canary: { count: 1, orgIds: [] }, shares: [5, 25, 100] }
const sizes = (waves: { name: string; members: unknown[] }[]) =>
  waves.map(({ name, members }) => [name, members.length])

test.each([
  [
    'a fleet of 200',
    200,
    settings,
    [
      ['canary', 1],
      ['5 %', 9],
      ['25 %', 40],
      ['100 %', 150],
    ],
  ],
  ['a fleet of one is its own canary', 1, settings, [['canary', 1]]],
  [
    'waves that would be empty are left out',
    3,
    settings,
    [
      ['canary', 1],
      ['100 %', 2],
    ],
  ],
  ['no fleet, no waves', 0, settings, []],
  [
    'more canaries',
    100,
    { ...settings, canary: { count: 10, orgIds: [] } },
    [
      ['canary', 10],
      ['25 %', 15],
      ['100 %', 75],
    ],
  ],
])('%s', (_name, size, given, expected) => expect(sizes(planWaves(fleetOf(size), given, 'seed'))).toEqual(expected))

test('named organizations go first, then those that run', () => {
  const fleet = fleetOf(10, (index) => index !== 4)
  const given = { ...settings, canary: { count: 3, orgIds: ['org_7'] } }
  const ids = planWaves(fleet, given, 'seed')[0]!.members.map(({ orgId }) => orgId)
  expect(ids.slice(0, 2)).toEqual(['org_7', 'org_4'])
  expect(ids).toHaveLength(3)
})

test('everybody is in exactly one wave, and the same seed gives the same waves', () => {
  fc.assert(
    fc.property(
      fc.nat(300),
      fc.integer({ min: 1, max: 20 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 5 }),
      fc.string(),
      (size, count, cuts, seed) => {
        const fleet = fleetOf(size, (index) => index % 3 === 0)
        const given = { canary: { count, orgIds: [] }, shares: [...cuts.toSorted((a, b) => a - b), 100] }
        const waves = planWaves(fleet, given, seed)
        const ids = waves.flatMap(({ members }) => members.map(({ orgId }) => orgId))
        expect(ids.toSorted()).toEqual(fleet.map(({ orgId }) => orgId).toSorted())
        expect(planWaves(fleet.toReversed(), given, seed)).toEqual(waves)
      },
    ),
  )
})
