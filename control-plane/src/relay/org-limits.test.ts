import { expect, it } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { createOrgLimits } from './org-limits.ts'
import { createWrongKeyLimit } from './wrong-key-limit.ts'

const settings = { concurrent: 2, bytesPerSecond: 100, burstBytes: 1_000, queuedBytes: 500 }
function setUp() {
  const time = { ms: 0 }
  const queued = new Map<string, number>()
  const limits = createOrgLimits({
    settings,
    queuedOf: (orgId) => queued.get(orgId) ?? 0,
    replicas: () => 1,
    ledger: undefined,
    clock: { ...systemClock, monotonic: () => time.ms },
    log: createLog({ service: 'test', level: 'silent' }),
  })
  return { time, queued, limits }
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

it('takes no request of an organization that has too many bytes queued, until they are taken', () => {
  const { limits, queued } = setUp()
  queued.set('a', 501)
  expect(() => limits.enter('a')).toThrowError(
    expect.objectContaining({ code: 'relay_overloaded', details: { limit: 'queued_bytes' } }),
  )
  limits.enter('b')
  queued.set('a', 500)
  limits.enter('a')
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
