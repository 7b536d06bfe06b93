import { expect, test } from 'vitest'
import { lastHours } from './awake-hours.ts'

const HOUR_MS = 3_600_000
const now = new Date('2026-06-02T10:20:00.000Z')
const current = Math.floor(now.getTime() / HOUR_MS)

test('24 hours end with the one that is under way', () => {
  const hours = lastHours(now, { awake: 3, turned: new Map(), ended: new Map() })
  expect(hours).toHaveLength(24)
  expect(hours[0]?.from).toBe('2026-06-01T11:00:00.000Z')
  expect(hours.at(-1)).toEqual({ from: '2026-06-02T10:00:00.000Z', awake: 3, succeeded: 0, failed: 0 })
})

test('what ran at the end of each hour is counted back from now', () => {
  const turned = new Map([
    [current, 2],
    [current - 1, -4],
    [current - 3, 1],
  ])
  const awake = lastHours(now, { awake: 5, turned, ended: new Map() }).map((hour) => hour.awake)
  expect(awake.slice(-5)).toEqual([6, 7, 7, 3, 5])
})

test('operations are told in the hour in which they ended', () => {
  const ended = new Map([[current - 2, { succeeded: 4, failed: 1 }]])
  expect(lastHours(now, { awake: 0, turned: new Map(), ended }).at(-3)).toMatchObject({ succeeded: 4, failed: 1 })
})

test('a count is never below none', () => {
  const hours = lastHours(now, { awake: 1, turned: new Map([[current, 5]]), ended: new Map() })
  expect(Math.min(...hours.map(({ awake }) => awake))).toBe(0)
})
