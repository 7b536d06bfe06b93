import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { verifies } from '../../../test/requirements.ts'
import { createChangeStreams } from './change-streams.ts'

const log = createLog({ service: 'test', level: 'silent' })

/** A clock that `second` advances by one second. `second` resolves when the streams sleep again. */
function steppedClock() {
  let now = 0
  let wake = Promise.withResolvers<void>()
  let asleep = Promise.withResolvers<void>()
  const clock: Clock = {
    now: () => new Date(now),
    monotonic: () => now,
    sleep: async (_ms, signal) => {
      signal?.addEventListener('abort', () => wake.reject(signal.reason as Error), { once: true })
      asleep.resolve()
      await wake.promise
    },
  }
  const second = async () => {
    await asleep.promise
    now += 1_000
    asleep = Promise.withResolvers<void>()
    const { resolve } = wake
    wake = Promise.withResolvers<void>()
    wake.promise.catch(() => {})
    resolve()
    await asleep.promise
  }
  return { clock, second }
}

type ListSince = Parameters<typeof createChangeStreams>[0]['changes']['listSince']
const nothing: ListSince = async () => ({ changes: [], now: '1:1:' })

function streamsOver(
  listLiveSessions: () => Promise<string[]>,
  listSince = nothing,
  readSnapshot: () => Promise<string> = async () => '1:1:',
) {
  const { clock, second } = steppedClock()
  const streams = createChangeStreams({
    changes: { readSnapshot, listSince },
    accounts: { listLiveSessions },
    organizations: { listMemberships: async () => [] },
    operatorOrg: undefined,
    clock,
    log,
  })
  return { streams, second }
}
const opening = { sessionId: 'ses_1', userId: 'usr_1', isSystemAdmin: false }

test('a session that cannot be looked up ends its stream within five seconds', async () => {
  verifies('events.session')
  const { streams, second } = streamsOver(() => Promise.reject(new Error('the database is away')))
  const read = text(await streams.open(opening))
  for (let seconds = 0; seconds < 5; seconds += 1) await second()
  expect(await read).toContain('event: end\ndata: {"reason":"closing"}')
  await streams.close()
})

test('after a failure readers are told to read everything again', async () => {
  let isAway = true
  const { streams, second } = streamsOver(async () => (isAway ? Promise.reject(new Error('away')) : ['ses_1']))
  const read = text(await streams.open(opening))
  await second()
  isAway = false
  await second()
  await streams.close()
  expect(await read).toContain('event: resync')
})

test('a stream that opens while changes are read misses none: it is told to read everything again', async () => {
  let opened: Promise<Readable> | undefined
  const noted = { topic: 'people' as const, orgId: null, userId: 'usr_1' }
  const { streams, second } = streamsOver(
    async () => ['ses_1'],
    async () => {
      if (opened !== undefined) return { changes: [], now: '1:1:' }
      opened = streams.open(opening)
      await opened
      return { changes: [noted], now: '1:1:' }
    },
  )
  const first = await streams.open(opening)
  await second()
  await second()
  const read = text(await opened!)
  await streams.close()
  first.destroy()
  expect(await read).toContain('event: resync')
})

test('a stream that opens beside a slower one misses no change between their first reads', async () => {
  const reads = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const since: string[] = []
  let read = 0
  const { streams, second } = streamsOver(
    async () => ['ses_1'],
    async (from) => {
      since.push(from)
      return { changes: [], now: '9:9:' }
    },
    () => reads[read++]!.promise,
  )
  const opened = [streams.open(opening), streams.open(opening)]
  reads[0]!.resolve('1:1:')
  const quick = await opened[0]!
  reads[1]!.resolve('5:5:')
  const slow = await opened[1]!
  await second()
  expect(since).toEqual(['1:1:'])
  await streams.close()
  for (const stream of [quick, slow]) stream.destroy()
})
