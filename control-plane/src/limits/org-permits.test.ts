import { expect, it } from 'vitest'
import { divideLimit, OrgPermits } from './org-permits.ts'

const division = divideLimit(512, 'shared')
const ask = (permits: OrgPermits, now: number, need: 'more' | 'same') =>
  permits.request(now, { need, replicas: 3, number: 1 })

it('divides a limit so that sixteen replicas and the pool never come to more', () => {
  for (const limit of [1, 10, 64, 512, 1_000]) {
    const { own, pool } = divideLimit(limit, 'shared')
    expect(16 * own + pool).toBe(limit)
  }
  expect(division).toEqual({ own: 12, pool: 320 })
  expect(divideLimit(512, 'alone')).toEqual({ own: 512, pool: 0 })
})

it('asks the pool for nothing while its own permits are enough', () => {
  const permits = new OrgPermits(division)
  for (let i = 0; i < 12; i += 1) permits.take(3)
  expect(permits.spare(0, 3)).toBe(0)
  expect(permits.borrows(0, 3)).toBe(false)
  expect(ask(permits, 0, 'same')).toMatchObject({ held: 0, want: 0 })
})

it('asks for some more than it needs, and gives back what was not needed since it last told', () => {
  const permits = new OrgPermits(division)
  for (let i = 0; i < 12; i += 1) permits.take(3)
  expect(permits.runsLow(0, 3)).toBe(true)
  expect(ask(permits, 0, 'more')).toMatchObject({ held: 0, want: 10 })
  permits.learn({ granted: 10, free: 310 }, 6_000)
  for (let i = 0; i < 3; i += 1) permits.take(3)
  permits.open -= 2
  expect(ask(permits, 2_000, 'same')).toMatchObject({ held: 3, want: 3 })
  permits.learn({ granted: 3, free: 317 }, 8_000)
  expect(permits.spare(2_000, 3)).toBe(2)
  expect(ask(permits, 4_000, 'same')).toMatchObject({ held: 1, want: 1 })
  expect(permits.spare(4_000, 3)).toBe(0)
})

it('has lost what it borrowed when the pool is not heard of in time', () => {
  const permits = new OrgPermits(division)
  permits.learn({ granted: 10, free: 0 }, 6_000)
  for (let i = 0; i < 15; i += 1) permits.take(3)
  expect(permits.excess(5_999, 3)).toBe(0)
  expect(permits.excess(6_000, 3)).toBe(3)
  expect(ask(permits, 6_000, 'same')).toMatchObject({ held: 0, want: 3 })
})

it('has lost what the pool no longer agrees to', () => {
  const permits = new OrgPermits(division)
  permits.learn({ granted: 10, free: 0 }, 6_000)
  for (let i = 0; i < 15; i += 1) permits.take(3)
  permits.learn({ granted: 1, free: 0 }, 8_000)
  expect(permits.excess(2_000, 3)).toBe(2)
})

it('owns none beside sixteen others, and knows of none that are free while the pool does not answer', () => {
  const permits = new OrgPermits(division)
  expect(permits.spare(0, 17)).toBe(0)
  permits.missed()
  expect(permits.free(0, 16)).toBe(12)
})

it('borrows for the requests on permits of its own when a seventeenth replica joins, and loses what the pool lacks', () => {
  const permits = new OrgPermits(division)
  for (let i = 0; i < 12; i += 1) permits.take(16)
  expect(permits.borrows(0, 16)).toBe(false)
  expect(permits.borrows(0, 17)).toBe(true)
  expect(permits.excess(0, 17)).toBe(0)
  expect(permits.request(0, { need: 'same', replicas: 17, number: 1 })).toMatchObject({ held: 0, want: 12 })
  permits.missed()
  expect(permits.excess(0, 17)).toBe(0)
  permits.learn({ granted: 5, free: 0 }, 6_000)
  expect(permits.excess(0, 17)).toBe(7)
  expect(permits.excess(0, 16)).toBe(0)
  expect(permits.excess(6_000, 17)).toBe(12)
})

it('owns permits again when the seventeenth replica has left, and keeps them when another one joins', () => {
  const permits = new OrgPermits(division)
  permits.request(0, { need: 'same', replicas: 17, number: 1 })
  permits.learn({ granted: 0, free: 320 }, 6_000)
  for (let i = 0; i < 12; i += 1) permits.take(16)
  expect(permits.excess(0, 17)).toBe(0)
})
