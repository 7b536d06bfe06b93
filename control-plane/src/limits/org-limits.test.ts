import { expect, it } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { verifies } from '../../../test/requirements.ts'
import { createOrgLimits, type Admission } from './org-limits.ts'
import { divideLimit } from './org-permits.ts'
import type { LedgerReport, UseLedger } from './use-ledger.ts'
import { createWrongKeyLimit } from '../tunnels/wrong-key-limit.ts'

const settings = { concurrent: 8, bytesPerSecond: 100, burstBytes: 1_000, queuedBytes: 500, personPart: 0.5 }
function setUp() {
  const time = { ms: 0 }
  const queued = new Map<string, number>()
  const applied = { settings }
  const limits = createOrgLimits({
    settingsOf: () => applied.settings,
    queued: {
      of: (orgId) => queued.get(orgId) ?? 0,
      ofPerson: (orgId, person) => queued.get(`${orgId}:${person}`) ?? 0,
    },
    replicas: () => 1,
    ledger: undefined,
    clock: { ...systemClock, monotonic: () => time.ms },
    log: createLog({ service: 'test', level: 'silent' }),
  })
  /** Counts a request in. With a single replica the decision is synchronous. */
  const enter = (orgId: string, person = 'ann') => limits.enter({ orgId, person, end: () => {} }) as Admission
  /** Opens as many requests as one person may have. */
  const fill = (person: string): Admission[] => {
    const all: Admission[] = []
    try {
      for (;;) all.push(enter('a', person))
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_requests', details: { limit: 'concurrent' } })
      return all
    }
  }
  return { time, queued, enter, fill, applied }
}

it('lets so many requests in at a time, for each organization by itself', () => {
  const { enter, fill } = setUp()
  const open = ['ann', 'bob', 'cid', 'dan'].flatMap(fill)
  expect(open).toHaveLength(8)
  expect(() => enter('a', 'eve')).toThrowError(
    expect.objectContaining({ details: { limit: 'concurrent', of: 'organization' } }),
  )
  enter('b')
  open[0]?.leave()
  open[0]?.leave()
  enter('a', 'eve')
  expect(() => enter('a', 'fay')).toThrowError(expect.objectContaining({ code: 'too_many_requests' }))
})

it('lets nobody hold more requests than are left for all others', () => {
  verifies('relay.person-share')
  const { enter, fill } = setUp()
  expect(fill('ann')).toHaveLength(4)
  expect(() => enter('a', 'ann')).toThrowError(
    expect.objectContaining({ details: { limit: 'concurrent', of: 'person' } }),
  )
  expect(fill('bob')).toHaveLength(2)
  expect(fill('cid')).toHaveLength(1)
  enter('a', 'dan')
})

/** A ledger in memory that lends the permits of one organization to replicas. */
function pool() {
  const lent = new Map<string, number>()
  const answer = (replica: string, { limits, permits }: LedgerReport) => {
    const others = [...lent].reduce((sum, [name, held]) => (name === replica ? sum : sum + held), 0)
    const granted = Math.min(permits.want, limits.pool - others)
    lent.set(replica, granted)
    return { queued: 0, spent: 0, granted, free: limits.pool - others - granted }
  }
  return (replica: string): UseLedger => ({ report: async (reports) => reports.map((one) => answer(replica, one)) })
}

it.each([2, 3])('lets one person hold no more than half of all requests on %i replicas together', async (count) => {
  verifies('relay.person-share')
  const concurrent = 512
  const ledgerOf = pool()
  const replicas = Array.from({ length: count }, (_, index) =>
    createOrgLimits({
      settingsOf: () => ({ ...settings, concurrent }),
      queued: { of: () => 0, ofPerson: () => 0 },
      replicas: () => count,
      ledger: ledgerOf(`replica-${index}`),
      clock: { ...systemClock, monotonic: () => 0 },
      log: createLog({ service: 'test', level: 'silent' }),
    }),
  )
  let open = 0
  const fill = async (limits: (typeof replicas)[number]): Promise<boolean> => {
    try {
      await limits.enter({ orgId: 'a', person: 'ann', end: () => {} })
    } catch {
      return false
    }
    open += 1
    return true
  }
  for (let taken = [true]; taken.includes(true);) {
    taken = []
    for (const limits of replicas) taken.push(await fill(limits))
  }
  const { own, pool: shared } = divideLimit(concurrent, 'shared')
  expect(open).toBeLessThanOrEqual((own * count + shared) / 2)
  expect(open).toBeGreaterThan((own * count + shared) / 3)
  // The others find room on each replica.
  for (const limits of replicas) await limits.enter({ orgId: 'a', person: 'bob', end: () => {} })
})

it('makes a person wait who has taken half of the burst, until it has drained, and nobody else', () => {
  verifies('relay.person-share')
  const { enter, time } = setUp()
  const request = enter('a')
  request.count(200)
  request.count(1_300)
  expect(() => enter('a')).toThrowError(
    expect.objectContaining({ retryAfterSeconds: 10, details: { limit: 'bytes', of: 'person' } }),
  )
  enter('a', 'bob')
  time.ms = 10_000
  enter('a').leave()
  request.leave()
})

it('makes an organization wait whose people have taken more than its burst together', () => {
  const { enter, time } = setUp()
  for (const person of ['ann', 'bob', 'cid']) enter('a', person).count(400)
  expect(() => enter('a', 'dan')).toThrowError(
    expect.objectContaining({ retryAfterSeconds: 2, details: { limit: 'bytes', of: 'organization' } }),
  )
  time.ms = 2_000
  enter('a', 'dan').leave()
})

it('takes no request of an organization that has too many bytes queued, until they are taken', () => {
  const { enter, queued } = setUp()
  queued.set('a', 501)
  expect(() => enter('a')).toThrowError(
    expect.objectContaining({ code: 'relay_overloaded', details: { limit: 'queued_bytes', of: 'organization' } }),
  )
  enter('b')
  queued.set('a', 500)
  enter('a')
})

it('takes no request of a person who has a quarter of that queued, but those of others', () => {
  verifies('relay.person-share')
  const { enter, queued } = setUp()
  queued.set('a:ann', 126)
  expect(() => enter('a')).toThrowError(
    expect.objectContaining({ code: 'relay_overloaded', details: { limit: 'queued_bytes', of: 'person' } }),
  )
  enter('a', 'bob')
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

it('applies other limits at once, also to who is there already', () => {
  const { enter, fill, applied } = setUp()
  const open = fill('ann')
  expect(open).toHaveLength(4)
  applied.settings = { ...settings, concurrent: 4 }
  expect(() => enter('a', 'bob')).toThrowError(
    expect.objectContaining({ details: { limit: 'concurrent', of: 'organization' } }),
  )
  applied.settings = { ...settings, concurrent: 16 }
  expect(fill('ann')).toHaveLength(4)

  open[0]?.count(settings.burstBytes)
  expect(() => enter('a', 'ann')).toThrowError(expect.objectContaining({ details: { limit: 'bytes', of: 'person' } }))
  applied.settings = { ...settings, concurrent: 16, burstBytes: 10_000 }
  enter('a', 'cid')
})
