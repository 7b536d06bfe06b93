import { describe, expect, test } from 'vitest'
import { StoreUnavailable } from '@svc/shared/wire/managed-daemon-store.ts'
import { movedClock } from '../../../test/support/moved-clock.ts'
import { playDaemon, someTurns } from '../../../test/support/played-daemon.ts'
import { createRecentDepartures } from '../tunnels/recent-departures.ts'
import { createTunnels, type OpenTunnel } from '../tunnels/tunnels.ts'
import { RequestEnd } from './request-end.ts'
import { createWakeQueue, type HostedDaemons } from './wake-queue.ts'

const orgId = 'org'

/**
 * The queue of one replica. A tunnel registers at another one; the directory answers what it knew when it was asked.
 */
function setUp(state: HostedDaemons['state'] = async () => 'starting') {
  const clock = movedClock()
  const held = createTunnels()
  const daemon = playDaemon()
  const tunnel: OpenTunnel = { daemonId: 'daemon', tunnel: daemon.tunnel, pool: daemon.pool }
  let registered: OpenTunnel | undefined
  let asked = 0
  const answers: (() => void)[] = []
  let wake = Promise.withResolvers<'sleeping'>()
  const queue = createWakeQueue({
    tunnels: {
      held,
      departures: createRecentDepartures(clock),
      findElsewhere: (): Promise<OpenTunnel | undefined> => {
        asked += 1
        const known = registered
        return new Promise((resolve) => answers.push(() => resolve(known)))
      },
    },
    hosted: { state, wakeIfAsleep: () => wake.promise },
    clock,
  })
  const requestEnd = new RequestEnd()
  return {
    queue,
    clock,
    tunnel,
    requestEnd,
    asked: () => asked,
    wanted: { orgId, person: 'person', requestEnd },
    register: () => {
      registered = tunnel
      held.changed(orgId)
    },
    /** The registration of which this replica was not told. */
    registerSilently: () => void (registered = tunnel),
    change: () => held.changed(orgId),
    answer: async () => {
      for (const one of answers.splice(0)) one()
      await someTurns()
    },
    wake: async () => {
      wake.resolve('sleeping')
      await someTurns()
    },
    failToWake: async (reason: Error) => {
      const { reject } = wake
      wake = Promise.withResolvers()
      reject(reason)
      await someTurns()
    },
    close: () => daemon.close(),
  }
}

test('a tunnel that comes to another replica while the directory answers is found', async () => {
  const here = setUp()
  const finding = here.queue.find(here.wanted)
  here.register()
  await here.answer()
  await here.wake()
  await here.answer()
  expect(await finding).toBe(here.tunnel)
  here.close()
})

test('a tunnel that comes to another replica while its daemon is woken is found', async () => {
  const here = setUp()
  const finding = here.queue.find(here.wanted)
  await here.answer()
  here.register()
  await here.wake()
  await here.answer()
  expect(await finding).toBe(here.tunnel)
  here.close()
})

test.each(['find', 'findAwake'] as const)(
  'a tunnel is found that comes while a held request asks: %s',
  async (name) => {
    const here = setUp()
    const finding = here.queue[name](here.wanted)
    await here.answer()
    await here.wake()
    await here.answer()
    here.change()
    await someTurns()
    here.register()
    await here.answer()
    await here.answer()
    expect(await finding).toBe(here.tunnel)
    here.close()
  },
)

test('other replicas are asked again after a change only, and when the time is over', async () => {
  const here = setUp()
  const finding = here.queue.find(here.wanted)
  await here.answer()
  await here.wake()
  await here.answer()
  const before = here.asked()
  await someTurns()
  expect(here.asked()).toBe(before)
  here.change()
  await here.answer()
  expect(here.asked()).toBe(before + 1)

  here.registerSilently()
  here.clock.pass(25_000)
  await here.answer()
  await here.answer()
  expect(await finding).toBe(here.tunnel)
  here.close()
})

test('a request whose browser left is not held, and other replicas are not asked for it', async () => {
  const here = setUp()
  const finding = here.queue.find(here.wanted) as Promise<OpenTunnel>
  const refused = expect(finding).rejects.toMatchObject({ code: 'daemon_waking' })
  await here.answer()
  await here.wake()
  await here.answer()
  const before = here.asked()
  here.requestEnd.end()
  await refused
  expect(here.asked()).toBe(before)
  here.close()
})

describe('a store of the daemons that is away', () => {
  test('a request is told to come again, and wakes the daemon then', async () => {
    const here = setUp()
    const refused = expect(here.queue.find(here.wanted)).rejects.toMatchObject({
      code: 'daemon_waking',
      retryAfterSeconds: 2,
    })
    await here.answer()
    await here.failToWake(new StoreUnavailable('connect ECONNREFUSED'))
    await here.answer()
    here.clock.pass(3_000)
    await here.answer()
    await here.answer()
    await refused

    const finding = here.queue.find(here.wanted)
    await here.answer()
    await here.wake()
    here.register()
    await here.answer()
    await here.answer()
    expect(await finding).toBe(here.tunnel)
    here.close()
  })

  test('a daemon that connects meanwhile is found', async () => {
    const here = setUp()
    const finding = here.queue.find(here.wanted)
    await here.answer()
    await here.failToWake(new StoreUnavailable('connect ECONNREFUSED'))
    here.register()
    await here.answer()
    await here.answer()
    expect(await finding).toBe(here.tunnel)
    here.close()
  })

  test('an event stream is told to come again', async () => {
    const here = setUp(() => Promise.reject(new StoreUnavailable('connect ECONNREFUSED')))
    const refused = expect(here.queue.findAwake(here.wanted)).rejects.toMatchObject({ code: 'daemon_waking' })
    await here.answer()
    await here.answer()
    here.clock.pass(3_000)
    await here.answer()
    await here.answer()
    await refused
    here.close()
  })

  test('another failure of a wake stays what it is', async () => {
    const here = setUp()
    const refused = expect(here.queue.find(here.wanted)).rejects.toThrow('a bug')
    await here.answer()
    await here.failToWake(new TypeError('a bug'))
    await refused
    here.close()
  })
})
