import { request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { askAt, startDaemon, startReplica, type RelayHarness } from '../support/relay-replica.ts'
import { until } from '../support/until.ts'

// Two replicas, `near` and `far`, whose limits for an organization are low. Its daemon's tunnel ends at `far`.
const LIMITS = { concurrent: 10, bytesPerSecond: 2_000_000, burstBytes: 60_000_000, queuedBytes: 400_000 }
/** Replicas tell one another this often, at the latest. */
const BEAT_MS = 2_500
type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>> & { cookie: string; close(): Promise<void> }
let database: TestDatabase
let redis: TestRedis
let far: RelayHarness
let near: RelayHarness
let org: Organization
let opened: Socket[] = []

beforeAll(async () => {
  redis = await startRedis()
  database = await createTestDatabase()
  const shared = { redisUrl: redis.url, limits: LIMITS, tunnelsPerDaemon: 1 }
  far = await startReplica(database.url, shared)
  const vaultOriginTemplate = `http://{label}.localhost:${far.port}`
  near = await startReplica(database.url, { ...shared, baseUrl: far.baseUrl, vaultOriginTemplate })
})
afterAll(async () => {
  await near?.close()
  await far?.close()
  await database?.drop()
  await redis?.stop()
})

/** An organization whose daemon answers with endless events, with two megabytes, or with how much it was sent. */
beforeEach(async () => {
  const made = await far.makeOrganization()
  const daemon = await startDaemon(far, made, (req, res) => {
    if (req.url?.endsWith('/events')) return void res.writeHead(200).write('data: 1\n\n')
    if (req.url?.endsWith('/film.bin') && req.method === 'GET') return void res.end(Buffer.alloc(20_000_000))
    req.resume().once('end', () => res.end('ok'))
  })
  const person = await far.makePerson(made.orgId)
  const cookie = await far.enter({ orgId: made.orgId, person, vault: 'v' })
  org = { ...made, cookie, close: daemon.close }
  for (const { port } of [far, near]) await until('the daemon is there', async () => (await tree(port)).status === 200)
  return async () => {
    for (const socket of opened) socket.destroy()
    opened = []
    await daemon.close()
  }
})

const files = '/api/vaults/v/attachments'
const headers = () => ({ cookie: org.cookie, origin: org.origin })
const tree = (port: number) => askAt(port, { host: org.host, path: '/api/vaults/v/tree', headers: headers() })
const send = (port: number, bytes: number) =>
  askAt(port, { method: 'PUT', host: org.host, path: `${files}/x.bin`, headers: headers(), body: Buffer.alloc(bytes) })
const failureOf = (answer: { text: string }) => JSON.parse(answer.text) as { error: { code: string; details: object } }

/** Opens an answer that never ends; answers its status. */
async function openEvents(port: number): Promise<number> {
  const asked = request({
    host: '127.0.0.1',
    port,
    path: '/api/vaults/v/events',
    headers: { host: org.host, ...headers() },
    setHost: false,
    agent: false,
  }).end()
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    asked.once('response', resolve).once('error', reject),
  )
  answer.on('error', () => {})
  if (answer.statusCode === 200) opened.push(answer.socket)
  else expect(failureOf({ text: await text(answer) }).error).toMatchObject({ details: { limit: 'concurrent' } })
  answer.resume()
  return answer.statusCode ?? 0
}

/** Opens answers at the replicas in turn, as people come, until for a beat none lets one in; answers how many are open. */
async function openAll(ports: number[]): Promise<number> {
  const patience = BEAT_MS / 60
  for (let turn = 0, refused = 0; refused < patience; turn += 1) {
    const status = await openEvents(ports[turn % ports.length]!)
    refused = status === 200 ? 0 : refused + 1
    await systemClock.sleep(60)
  }
  return opened.length
}

test('an organization has so many requests at a time on all replicas together', async () => {
  verifies('relay.org-limits-shared')
  const open = await openAll([near.port, far.port])
  expect(open).toBeGreaterThanOrEqual(LIMITS.concurrent)
  expect(open).toBeLessThanOrEqual(LIMITS.concurrent * (9 / 8)) // an eighth may go untold
  for (const socket of opened.splice(0, 3)) socket.destroy()
  await until('what one replica has given back, the other may use', async () => (await openEvents(far.port)) === 200)
})

test('one replica may use all of it, and the other then none', async () => {
  expect(await openAll([near.port])).toBe(LIMITS.concurrent)
  await until('the other has heard of it', async () => (await tree(far.port)).status === 429)
  expect(failureOf(await tree(far.port)).error).toMatchObject({ details: { limit: 'concurrent' } })
})

test('bytes of all replicas fill one bucket', async () => {
  for (const bytes of [22_000_000, 16_000_000]) {
    for (const { port } of [near, far]) expect((await send(port, bytes)).status).toBe(200)
    await systemClock.sleep(BEAT_MS) // each has told the other
  }
  for (const { port } of [near, far]) {
    await until('no more is let in', async () => (await tree(port)).status === 429)
    const refused = await tree(port)
    expect(failureOf(refused).error).toMatchObject({ code: 'too_many_requests', details: { limit: 'bytes' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  }
  await until('the bucket has drained', async () => (await tree(near.port)).status === 200)
})

test('an organization whose browsers do not read gets no further request, on any replica, until they do or go', async () => {
  verifies('relay.queued-bytes')
  const neighbour = await far.makeOrganization()
  for (let i = 0; i < LIMITS.concurrent - 2; i += 1) {
    const stalled = connect(far.port, '127.0.0.1')
      .on('error', () => {})
      .pause()
    stalled.write(`GET ${files}/film.bin HTTP/1.1\r\nHost: ${org.host}\r\nCookie: ${org.cookie}\r\n\r\n`)
    opened.push(stalled)
  }
  for (const { port } of [far, near]) {
    await until('the replica has no room', async () => (await tree(port)).status === 503)
    const refused = await tree(port)
    expect(failureOf(refused).error).toMatchObject({ code: 'relay_overloaded', details: { limit: 'queued_bytes' } })
    expect(refused.headers['retry-after']).toBe('1')
  }
  expect((await askAt(far.port, { host: neighbour.host, path: '/api/vaults/v/tree' })).status).toBe(401)
  for (const socket of opened) socket.destroy()
  for (const { port } of [far, near]) await until('there is room', async () => (await tree(port)).status === 200)
})

test('while Redis is away, each replica gives an even share; then they count together again', async () => {
  expect(await openAll([near.port])).toBe(LIMITS.concurrent)
  await redis.kill()
  await until('the other has not heard of it for a while', async () => (await openEvents(far.port)) === 200)
  expect((await openAll([near.port, far.port])) - LIMITS.concurrent).toBe(LIMITS.concurrent / 2)
  await redis.start()
  for (const socket of opened.splice(0, LIMITS.concurrent - 1)) socket.destroy()
  await until(
    'they count together',
    async () => (await openEvents(far.port)) === 429 || opened.length > LIMITS.concurrent,
  )
  expect(opened.length).toBeLessThanOrEqual(LIMITS.concurrent * (9 / 8))
})
