import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createRateLimit, createMemoryCounters } from './rate-limit.ts'

const setUp = () => {
  let now = 0
  const clock = { now: () => new Date(now), monotonic: () => now, sleep: async () => {} }
  const limit = createRateLimit(createMemoryCounters(clock))
  const call = (client: string) => limit({ key: 'k', client, max: 2, seconds: 10 })
  return { call, pass: (ms: number) => (now += ms) }
}

test('counters that are too many make room for many new ones at once, so that it is rarely done', async () => {
  verifies('security.address-limits')
  const { increment } = createMemoryCounters({ now: () => new Date(0), monotonic: () => 0, sleep: async () => {} })
  for (let nth = 0; nth < 100_000; nth += 1) await increment(`client ${nth}`, 600)
  expect(await increment('another', 600)).toMatchObject({ count: 1 })
  expect(await increment('client 99999', 600)).toMatchObject({ count: 2 })
  // Those that began first are dropped, and not one alone.
  for (const nth of [0, 1, 9_000]) expect(await increment(`client ${nth}`, 600)).toMatchObject({ count: 1 })
})

describe('a limit', () => {
  test('lets so many calls through, then asks to wait for the rest of the window', async () => {
    const { call, pass } = setUp()
    await call('203.0.113.1')
    pass(4_000)
    await call('203.0.113.1')
    await expect(call('203.0.113.1')).rejects.toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 6 })
    await call('203.0.113.2')
    pass(6_000)
    await call('203.0.113.1')
  })

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8::', '2001:db8::1'],
  ])('counts %s and %s as one client', async (one, other) => {
    const { call } = setUp()
    await call(one)
    await call(one)
    await expect(call(other)).rejects.toMatchObject({ code: 'too_many_requests' })
  })

  test('tells networks and e-mail addresses apart', async () => {
    const { call } = setUp()
    for (const client of ['2001:db8:1:2::1', '2001:db8:1:3::1', 'a@example.org', 'b@example.org', '::1']) {
      await call(client)
      await call(client)
    }
  })
})
