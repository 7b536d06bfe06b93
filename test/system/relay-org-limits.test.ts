import { request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { askAt, startDaemon, startReplica, type Answer, type RelayHarness } from '../support/relay-replica.ts'
import { until } from '../support/until.ts'

// Two replicas, `near` and `far`, with low limits for an organization: neither replica owns a permit of its own. The
// tunnel of the organization's daemon ends at `far`.
const LIMITS = {
  concurrent: 40,
  bytesPerSecond: 2_000_000,
  burstBytes: 60_000_000,
  queuedBytes: 400_000,
  personPart: 0.5,
}
const LEASE_MS = 3_000
type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>> & { cookies: string[] }
let database: TestDatabase
let redis: TestRedis
let far: RelayHarness
let near: RelayHarness
let org: Organization
let opened: Socket[] = []

beforeAll(async () => {
  redis = await startRedis()
  database = await createTestDatabase()
  const shared = { redisUrl: redis.url, limits: LIMITS, limitLeaseMs: LEASE_MS, tunnelsPerDaemon: 1 }
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

/**
 * An organization of fifteen people. Its daemon responds with endless events, with a large file (`film`), or with the
 * number of received bytes.
 */
beforeEach(async () => {
  const made = await far.makeOrganization()
  const daemon = await startDaemon(far, made, (req, res) => {
    if (req.url?.endsWith('/events')) return void res.writeHead(200).write('data: 1\n\n')
    if (req.url?.endsWith('/film.bin') && req.method === 'GET') return void res.end(Buffer.alloc(20_000_000))
    req.resume().once('end', () => res.end('ok'))
  })
  const enter = async () => far.enter({ orgId: made.orgId, person: await far.makePerson(made.orgId), vault: 'v' })
  org = { ...made, cookies: await Promise.all(Array.from({ length: 15 }, enter)) }
  for (const { port } of [far, near]) await until('the daemon is there', async () => (await tree(port)).status === 200)
  return async () => {
    for (const socket of opened) socket.destroy()
    opened = []
    await daemon.close()
  }
})

const files = '/api/vaults/v/attachments'
const headers = (person: number) => ({ cookie: org.cookies[person]!, origin: org.origin })
const tree = (port: number, person = 0): Promise<Answer> =>
  askAt(port, { host: org.host, path: '/api/vaults/v/tree', headers: headers(person) }).catch(() => CUT)
/**
 * The result of a request that was cut. A replica that could not renew its lease in time cuts the requests that it
 * admitted.
 */
const CUT: Answer = { status: 0, headers: {}, body: Buffer.alloc(0), text: '' }
const send = (port: number, bytes: number, person: number) => {
  const path = `${files}/x.bin`
  return askAt(port, { method: 'PUT', host: org.host, path, headers: headers(person), body: Buffer.alloc(bytes) })
}
const failureOf = (answer: { text: string }) =>
  JSON.parse(answer.text) as { error: { code: string; details: { of?: string } } }

/** Opens an endless response; returns its status, or 0 if it was cut before it had a status. */
async function openEvents(port: number, person: number): Promise<number> {
  const asked = request({
    host: '127.0.0.1',
    port,
    path: '/api/vaults/v/events',
    headers: { host: org.host, ...headers(person) },
    setHost: false,
    agent: false,
  }).end()
  const answer = await new Promise<IncomingMessage | undefined>((resolve) =>
    asked.once('response', resolve).on('error', () => resolve(undefined)),
  )
  if (answer === undefined) return 0
  const { socket } = answer
  answer.on('error', () => {})
  if (answer.statusCode === 200) {
    opened.push(socket)
    socket.once('close', () => (opened = opened.filter((one) => one !== socket)))
  } else expect(failureOf({ text: await text(answer) }).error).toMatchObject({ details: { limit: 'concurrent' } })
  answer.resume()
  return answer.statusCode ?? 0
}

/**
 * Opens responses for these people at the replicas in turn, until none is admitted for the duration of a lease; returns
 * the number of open responses.
 */
async function openAll(ports: number[], people: number[], isEnough = () => false): Promise<number> {
  for (let gotAt = performance.now(); performance.now() - gotAt < LEASE_MS * 1.5 && !isEnough();) {
    for (const person of people)
      for (const port of ports) while ((await openEvents(port, person)) === 200) gotAt = performance.now()
    // When one replica ends a response, another may admit a new one before this process notices the end.
    await until('no more are open than may be', () => opened.length <= LIMITS.concurrent)
    await systemClock.sleep(20)
  }
  return opened.length
}
const everybody = [0, 1, 2, 3, 4, 5]
const latecomers = [6, 7, 8, 9, 10, 11, 12, 13, 14]

/**
 * Opens responses for everybody, then the rest for people without one. A permit that another replica gives back late is
 * refused to everybody who holds more responses than this replica's part of what is left.
 */
async function openTheWhole(ports: number[]): Promise<void> {
  const isWhole = () => opened.length === LIMITS.concurrent
  await until('all that may be open is open', async () => {
    for (const people of [everybody, ...latecomers.map((person) => [person])])
      if (!isWhole()) await openAll(ports, people, isWhole)
    return isWhole()
  })
}

test('an organization has so many requests at a time on all replicas together, and each of them may have all', async () => {
  verifies('relay.org-limits-shared')
  await openTheWhole([near.port, far.port])
  await openAll([near.port, far.port], [...everybody, ...latecomers])
  for (const socket of opened) socket.destroy()
  opened = []
  let refused: Answer
  await until('the other has none', async () => {
    await openTheWhole([near.port])
    return (refused = await tree(far.port)).status === 429
  })
  expect(failureOf(refused!).error).toMatchObject({ details: { limit: 'concurrent' } })
  for (const socket of opened.slice(0, 10)) socket.destroy()
  await until('what one replica has given back, the other may use', async () => (await openEvents(far.port, 0)) === 200)
})

test('one member who opens all the streams that they can leaves room for every other', async () => {
  verifies('relay.person-share')
  expect(await openAll([near.port, far.port], [0])).toBeLessThan(LIMITS.concurrent)
  for (const { port } of [near, far])
    for (const person of [1, 2, 3, 4, 5])
      await until('there is room', async () => (await tree(port, person)).status === 200)
  let refused: Answer
  await until('the member is refused', async () => {
    refused = await tree(near.port)
    // A lapsed lease may have cut what the member had open.
    if (refused.status !== 429) await openAll([near.port, far.port], [0])
    return refused.status === 429
  })
  expect(failureOf(refused!).error).toMatchObject({ details: { limit: 'concurrent', of: 'person' } })
})

test('bytes of all people fill one bucket, which every replica knows', async () => {
  let sent = 0
  let refused: Answer
  // The limit refills all the time, so a slow machine must send more until it reaches the limit. All bytes go to one
  // replica.
  const isRefusedAt = async (port: number) => {
    refused = await tree(port, 5)
    if (refused.status === 200) await send(far.port, 22_000_000, sent++ % 5).catch(() => {})
    return refused.status === 429
  }
  for (const { port } of [near, far]) {
    await until('no more is let in', () => isRefusedAt(port), { everyMs: LEASE_MS / 3 }) // each learns it from the other
    expect(failureOf(refused!).error).toMatchObject({
      code: 'too_many_requests',
      details: { limit: 'bytes', of: 'organization' },
    })
    expect(Number(refused!.headers['retry-after'])).toBeGreaterThan(0)
  }
  await until('the bucket has drained', async () => (await tree(near.port, 5)).status === 200)
})

/** Requests large responses and does not read them. A lease that is renewed too late ends them, unnoticed here. */
function stall(person: number): void {
  for (let i = 0; i < 2; i += 1) {
    const stalled = connect(far.port, '127.0.0.1').pause()
    stalled.on('error', () => {})
    stalled.write(`GET ${files}/film.bin HTTP/1.1\r\nHost: ${org.host}\r\nCookie: ${org.cookies[person]}\r\n\r\n`)
    opened.push(stalled)
  }
}

test('browsers that do not read get no further request, first of their person, then of the organization', async () => {
  verifies('relay.queued-bytes', 'relay.person-share')
  const neighbour = await far.makeOrganization()
  const refusedOf = async (port: number, person: number, of: string, stalling: number[]) => {
    let refused: Answer
    let stalledAt = Number.NEGATIVE_INFINITY
    await until(`the ${of} has no room`, async () => {
      if (performance.now() - stalledAt > LEASE_MS) {
        for (const one of stalling) stall(one)
        stalledAt = performance.now()
      }
      refused = await tree(port, person)
      return refused.status === 503 && failureOf(refused).error.details?.of === of
    })
    expect(failureOf(refused!).error).toMatchObject({ code: 'relay_overloaded', details: { limit: 'queued_bytes' } })
    expect(refused!.headers['retry-after']).toBe('1')
  }
  await refusedOf(far.port, 0, 'person', [0])
  await until('there is room for others', async () => (await tree(far.port, 5)).status === 200)
  for (const { port } of [far, near]) await refusedOf(port, 5, 'organization', [0, 1, 2, 3, 4])
  expect((await askAt(far.port, { host: neighbour.host, path: '/api/vaults/v/tree' })).status).toBe(401)
  for (const socket of opened) socket.destroy()
  for (const { port } of [far, near]) await until('there is room', async () => (await tree(port, 5)).status === 200)
})

test('while Redis is away, and when it is back, nobody gets what another holds', async () => {
  await openTheWhole([near.port])
  await redis.kill()
  expect(await openEvents(far.port, 0)).toBe(429)
  await until('what cannot be kept is ended', () => opened.length === 0)
  await redis.start()
  await openTheWhole([near.port, far.port])
})

test('a request that waits for a slow Redis counts like any other', async () => {
  verifies('relay.org-limits-shared')
  let status = 0
  await until('the request is not cut', async () => {
    const resume = redis.pause()
    // The permits that were borrowed before expire first; then the replicas report several times.
    await systemClock.sleep(LEASE_MS)
    const waiting = openEvents(near.port, 0)
    await systemClock.sleep(LEASE_MS).finally(resume)
    status = await waiting
    return status !== 0
  })
  expect(status).toBe(200)
  await openAll([near.port, far.port], [...everybody, ...latecomers])
  expect(opened.length).toBeLessThanOrEqual(LIMITS.concurrent)
})
