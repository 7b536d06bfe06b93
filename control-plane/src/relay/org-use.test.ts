import { expect, it } from 'vitest'
import { OrgUse } from './org-use.ts'

const settings = { concurrent: 90, bytesPerSecond: 300, burstBytes: 9_000, queuedBytes: 900 }
const REPLICAS = 3
const nothing = { open: 0, queued: 0, spent: 0 }

/** Opens as many requests as are let in. */
function fill(use: OrgUse, now: number): number {
  while (use.excess(now, REPLICAS, 0) === undefined) use.open += 1
  return use.open
}

it('has an even share until it has heard of the others', () => {
  expect(fill(new OrgUse(settings, 0), 0)).toBe(30)
})

it('comes to the whole limit by asking, where nobody else uses any', () => {
  const use = new OrgUse(settings, 0)
  const opened = Array.from({ length: 12 }, () => {
    const open = fill(use, 0)
    use.learn(use.report(0, REPLICAS, 0), nothing, 0)
    return open
  })
  expect(opened.slice(0, 4)).toEqual([30, 50, 64, 73])
  expect(opened.at(-1)).toBe(90)
})

it('leaves to the others what they use, and its share of what is free', () => {
  const use = new OrgUse(settings, 0)
  use.open = 10
  use.learn(use.report(0, REPLICAS, 0), { ...nothing, open: 50 }, 0)
  expect(fill(use, 0)).toBe(20)
  use.learn(use.report(0, REPLICAS, 0), { ...nothing, open: 90 }, 0)
  expect(use.excess(0, REPLICAS, 0)).toEqual({ limit: 'concurrent', retryAfterSeconds: 1 })
})

it('tells at once of every eighth of its share', () => {
  const use = new OrgUse(settings, 0)
  for (const told of [0, 4, 8]) {
    use.open = told + 3
    expect(use.needsNews(REPLICAS)).toBe(false)
    use.open = told + 4
    expect(use.needsNews(REPLICAS)).toBe(true)
    use.learn(use.report(0, REPLICAS, 0), nothing, 0)
  }
})

it('tells of a little use nobody, of more everybody, and of its end once', () => {
  const use = new OrgUse(settings, 0)
  const tells = (now: number) => use.isNews(now, REPLICAS, 0)
  use.open = 3
  expect(tells(0)).toBe(false)
  use.open = 4
  expect(tells(0)).toBe(true)
  use.learn(use.report(0, REPLICAS, 0), nothing, 0)
  use.open = 2
  expect(tells(2_000)).toBe(true)
  const end = use.report(2_000, REPLICAS, 0)
  expect(end).toEqual({ open: 0, queued: 0, bytes: 0, last: true })
  use.learn(end, nothing, 2_000)
  expect(tells(4_000)).toBe(false)
})

it('goes on listening while others use much', () => {
  const use = new OrgUse(settings, 0)
  use.open = 5
  use.learn(use.report(0, REPLICAS, 0), { ...nothing, open: 80 }, 0)
  use.open = 0
  expect(use.isNews(2_000, REPLICAS, 0)).toBe(true)
  expect(use.report(2_000, REPLICAS, 0).last).toBe(false)
})

it('judges bytes by the bucket of all, which drains', () => {
  const use = new OrgUse(settings, 0)
  use.add(2_000)
  expect(use.excess(0, REPLICAS, 0)).toBeUndefined()
  use.learn(use.report(0, REPLICAS, 0), { ...nothing, spent: 9_600 }, 0)
  expect(use.excess(0, REPLICAS, 0)).toEqual({ limit: 'bytes', retryAfterSeconds: 2 })
  expect(use.excess(2_000, REPLICAS, 0)).toBeUndefined()
  use.add(300)
  expect(use.excess(2_000, REPLICAS, 0)).toEqual({ limit: 'bytes', retryAfterSeconds: 1 })
})

it('adds what the others have queued to what is queued here', () => {
  const use = new OrgUse(settings, 0)
  expect(use.excess(0, REPLICAS, 300)).toBeUndefined()
  expect(use.excess(0, REPLICAS, 301)).toEqual({ limit: 'queued_bytes', retryAfterSeconds: 1 })
  use.learn(use.report(0, REPLICAS, 301), { ...nothing, queued: 500 }, 0)
  expect(use.excess(0, REPLICAS, 400)).toBeUndefined()
  expect(use.excess(0, REPLICAS, 401)).toEqual({ limit: 'queued_bytes', retryAfterSeconds: 1 })
})

it('falls back to even shares when the others are not heard of for six seconds', () => {
  const use = new OrgUse(settings, 0)
  use.open = 60
  use.learn(use.report(0, REPLICAS, 0), nothing, 0)
  expect(use.excess(6_000, REPLICAS, 0)).toBeUndefined()
  expect(use.excess(6_001, REPLICAS, 0)).toEqual({ limit: 'concurrent', retryAfterSeconds: 1 })
  use.open = 29
  expect(use.excess(6_001, REPLICAS, 0)).toBeUndefined()

  use.add(3_100)
  expect(use.excess(6_001, REPLICAS, 0)).toEqual({ limit: 'bytes', retryAfterSeconds: 1 })
  expect(use.excess(7_101, REPLICAS, 0)).toBeUndefined()
})

it('keeps the bytes of a report that reached nobody', () => {
  const use = new OrgUse(settings, 0)
  use.add(3_100)
  use.takeBack(use.report(0, REPLICAS, 0))
  expect(use.excess(0, REPLICAS, 0)).toEqual({ limit: 'bytes', retryAfterSeconds: 1 })
})

it('is forgotten when nothing is open and every byte has drained', () => {
  const use = new OrgUse(settings, 0)
  use.add(1_000)
  expect(use.isIdle(1_000, REPLICAS)).toBe(false)
  expect(use.isIdle(10_000, REPLICAS)).toBe(true)
})
