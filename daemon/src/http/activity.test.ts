import { once } from 'node:events'
import { connect, type AddressInfo, type Server } from 'node:net'
import { promisify } from 'node:util'
import fastify from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { countActivity, createActivity, type Activity } from './activity.ts'

test('activity lasts as long as its longest request, and idle time begins with its end', () => {
  let now = 0
  const activity = createActivity({ monotonic: () => now })
  const before = activity.report()
  expect(before).toMatchObject({ inProgress: 0, idleMs: 0 })

  now = 10_000
  expect(activity.report()).toEqual({ ...before, idleMs: 10_000 })
  const endFirst = activity.begin()
  const endSecond = activity.begin()
  now = 20_000
  expect(activity.report()).toMatchObject({ inProgress: 2, idleMs: 0 })
  expect(activity.report().sequence).not.toBe(before.sequence)

  endFirst()
  endFirst() // a response closes once; a second call changes nothing
  expect(activity.report()).toMatchObject({ inProgress: 1, idleMs: 0 })
  endSecond()
  now = 21_500
  expect(activity.report()).toMatchObject({ inProgress: 0, idleMs: 1_500 })
})

test('each further request is told when it is counted', () => {
  const activity = createActivity({ monotonic: () => 0 })
  activity.begin()
  const told: string[] = []
  activity.onBegin(() => told.push(activity.report().sequence))
  activity.begin()()
  expect(told).toEqual([activity.report().sequence])
})

test('a daemon that was restarted has another sequence', () => {
  const clock = { monotonic: () => 0 }
  expect(createActivity(clock).report().sequence).not.toBe(createActivity(clock).report().sequence)
})

/** A server that counts, whose only route does that. `leave` closes the connection of a client that asks for it. */
async function served(activity: Activity, { checks, handler }: { checks?: () => unknown; handler: () => unknown }) {
  const app = fastify({ forceCloseConnections: true })
  onTestFinished(() => app.close())
  app.addHook('onRequest', async (request, reply) => {
    Object.assign(request, { caller: { kind: 'local' } })
    if (checks) await Promise.all([once(reply.raw, 'close'), checks()])
  })
  countActivity(app, activity)
  app.get('/', async () => handler())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  return { leave: () => client.destroy(), client, server: app.server }
}

test.each([
  ['while it was being checked', true],
  ['while it was being handled', false],
])('a request whose client left %s lasts until it is done, and no longer', async (_when, leavesEarly) => {
  const activity = createActivity({ monotonic: () => 0 })
  const handling = Promise.withResolvers<void>()
  const done = Promise.withResolvers<string>()
  const checking = Promise.withResolvers<void>()
  const { leave, server } = await served(activity, {
    ...(leavesEarly && { checks: () => checking.resolve() }),
    handler: () => {
      handling.resolve()
      return done.promise
    },
  })
  if (leavesEarly) await checking.promise.then(leave)
  await handling.promise
  leave()
  await vi.waitFor(async () => expect(await connectionsOf(server)).toBe(0))
  expect(activity.report().inProgress).toBe(1)

  done.resolve('words')
  await vi.waitFor(() => expect(activity.report().inProgress).toBe(0))
})

test('a request lasts until its response is sent, also when its handler fails', async () => {
  const activity = createActivity({ monotonic: () => 0 })
  const { client } = await served(activity, {
    handler: () => {
      expect(activity.report().inProgress).toBe(1)
      throw new Error('cannot')
    },
  })
  await once(client, 'data')
  await vi.waitFor(() => expect(activity.report()).toMatchObject({ inProgress: 0 }))
  expect(activity.report().sequence).toMatch(/-1$/)
})

const connectionsOf = (server: Server) => promisify(server.getConnections.bind(server))()
