import { expect, test } from 'vitest'
import { fleetTitle, pictureParts } from './fleet-picture-parts.ts'

const counts = { attention: 3, changing: 0, running: 257, asleep: 145, none: 0 }

test('parts come worst first, without those that are empty', () => {
  expect(pictureParts(counts).map(({ standing, count }) => [standing, count])).toEqual([
    ['attention', 3],
    ['running', 257],
    ['asleep', 145],
  ])
})

test.each([
  [{ total: 1405, counts }, '1,405 daemons, 3 need you'],
  [{ total: 40, counts: { ...counts, attention: 1 } }, '40 daemons, 1 needs you'],
  [{ total: 40, counts: { ...counts, attention: 0 } }, '40 daemons, none needs you'],
  [{ total: 1, counts: { ...counts, attention: 0 } }, 'One daemon, and it does not need you'],
  [{ total: 1, counts: { ...counts, attention: 1 } }, 'One daemon, 1 needs you'],
  [{ total: 0, counts: { ...counts, attention: 0 } }, 'No hosted organization yet'],
])('%o: %s', (overview, title) => expect(fleetTitle(overview)).toBe(title))
