import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { countActivity, createActivity } from './activity.ts'

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

test('a request whose client left while it was being checked is no activity that never ends', async () => {
  const activity = createActivity({ monotonic: () => 0 })
  const app = fastify({ forceCloseConnections: true })
  onTestFinished(() => app.close())
  const checked = Promise.withResolvers<void>()
  const handled = Promise.withResolvers<void>()
  app.addHook('onRequest', async (request, reply) => {
    Object.assign(request, { caller: { kind: 'local' } })
    left.abort()
    await once(reply.raw, 'close')
    checked.resolve()
  })
  countActivity(app, activity)
  app.addHook('preHandler', async () => handled.resolve())
  app.get('/', async () => 'words')
  await app.listen({ host: '127.0.0.1', port: 0 })

  const left = new AbortController()
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  left.signal.addEventListener('abort', () => client.destroy())
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await checked.promise
  await handled.promise
  expect(activity.report().inProgress).toBe(0)
  expect(activity.report().sequence).toMatch(/-1$/)
})
