import { expect, it } from 'vitest'
import { createOrgLimits } from './org-limits.ts'
import { createWrongKeyLimit } from './wrong-key-limit.ts'

const settings = { concurrent: 2, bytesPerSecond: 100, burstBytes: 1_000 }
function setUp() {
  const time = { ms: 0 }
  return { time, limits: createOrgLimits({ monotonic: () => time.ms }, settings) }
}

it('lets so many requests in at a time, for each organization by itself', () => {
  const { limits } = setUp()
  const first = limits.enter('a')
  limits.enter('a')
  expect(() => limits.enter('a')).toThrowError(expect.objectContaining({ code: 'too_many_requests' }))
  limits.enter('b')
  first.leave()
  limits.enter('a')
})

it('makes an organization wait that has taken more than its burst, until it has drained', () => {
  const { limits, time } = setUp()
  const request = limits.enter('a')
  request.count(1_500)
  expect(() => limits.enter('a')).toThrowError(expect.objectContaining({ retryAfterSeconds: 5 }))
  time.ms = 5_000
  limits.enter('a').leave()
  request.leave()
})

it('closes the door to an address after ten wrong keys within a minute', () => {
  const time = { ms: 0 }
  const limit = createWrongKeyLimit({ monotonic: () => time.ms })
  for (let i = 0; i < 10; i += 1) {
    expect(limit.waitSeconds('x')).toBe(0)
    limit.count('x')
  }
  expect(limit.waitSeconds('x')).toBe(60)
  expect(limit.waitSeconds('y')).toBe(0)
  time.ms = 60_000
  expect(limit.waitSeconds('x')).toBe(0)
})
