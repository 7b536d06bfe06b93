import { expect, it } from 'vitest'
import { ByteUse } from './org-use.ts'

const settings = { bytesPerSecond: 300, burstBytes: 9_000, queuedBytes: 900, personPart: 0.5 }
const REPLICAS = 3
const nothing = { queued: 0, spent: 0 }

it('judges bytes by the bucket of all, which drains', () => {
  const use = new ByteUse(settings, 0)
  use.add(2_000)
  expect(use.excess(0, REPLICAS, 0)).toBeUndefined()
  use.learn(use.report(0, REPLICAS, 0), { ...nothing, spent: 9_600 }, 0)
  expect(use.excess(0, REPLICAS, 0)).toEqual({ limit: 'bytes', retryAfterSeconds: 2 })
  expect(use.excess(2_000, REPLICAS, 0)).toBeUndefined()
  use.add(300)
  expect(use.excess(2_000, REPLICAS, 0)).toEqual({ limit: 'bytes', retryAfterSeconds: 1 })
})

it('tells of a little use nobody, of more everybody, and of its end once', () => {
  const use = new ByteUse(settings, 0)
  use.add(375)
  expect(use.isNews(0, REPLICAS, 37)).toBe(false)
  use.add(1)
  expect(use.isNews(0, REPLICAS, 0)).toBe(true)
  use.learn(use.report(0, REPLICAS, 0), nothing, 0)
  expect(use.isNews(2_000, REPLICAS, 0)).toBe(true)
  const end = use.report(2_000, REPLICAS, 0)
  expect(end).toEqual({ queued: 0, bytes: 0, last: true })
  use.learn(end, nothing, 2_000)
  expect(use.isNews(4_000, REPLICAS, 0)).toBe(false)
})

it('goes on listening while others use much', () => {
  const use = new ByteUse(settings, 0)
  use.learn(use.report(0, REPLICAS, 0), { queued: 800, spent: 0 }, 0)
  expect(use.isNews(2_000, REPLICAS, 0)).toBe(true)
  expect(use.report(2_000, REPLICAS, 0).last).toBe(false)
})

it('falls back to even shares when the others are not heard of for six seconds', () => {
  const use = new ByteUse(settings, 0)
  use.learn(use.report(0, REPLICAS, 0), nothing, 0)
  use.add(3_100)
  expect(use.excess(6_000, REPLICAS, 0)).toBeUndefined()
  expect(use.room(6_000, REPLICAS)).toBe(5_900)
  expect(use.excess(6_001, REPLICAS, 0)).toEqual({ limit: 'bytes', retryAfterSeconds: 1 })
  expect(use.excess(7_101, REPLICAS, 0)).toBeUndefined()
})

it('adds what the others have queued to what is queued here', () => {
  const use = new ByteUse(settings, 0)
  expect(use.excess(0, REPLICAS, 300)).toBeUndefined()
  expect(use.excess(0, REPLICAS, 301)).toEqual({ limit: 'queued_bytes', retryAfterSeconds: 1 })
  use.learn(use.report(0, REPLICAS, 301), { ...nothing, queued: 500 }, 0)
  expect(use.excess(0, REPLICAS, 400)).toBeUndefined()
  expect(use.excess(0, REPLICAS, 401)).toEqual({ limit: 'queued_bytes', retryAfterSeconds: 1 })
})

it('keeps the bytes of a report that reached nobody', () => {
  const use = new ByteUse(settings, 0)
  use.add(3_100)
  use.takeBack(use.report(0, REPLICAS, 0))
  expect(use.excess(0, REPLICAS, 0)).toEqual({ limit: 'bytes', retryAfterSeconds: 1 })
})

it('is forgotten when nothing is open and every byte has drained', () => {
  const use = new ByteUse(settings, 0)
  use.add(1_000)
  expect(use.isIdle(1_000, REPLICAS)).toBe(false)
  expect(use.isIdle(10_000, REPLICAS)).toBe(true)
})
