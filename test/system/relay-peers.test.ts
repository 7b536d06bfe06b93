import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { Redis } from 'ioredis'
import { WebSocket, WebSocketServer } from 'ws'
import { rotateDaemonKeyNow } from '../../control-plane/src/daemon-keys/rotate-daemon-key.ts'
import { PEER_SUBPROTOCOL, peerPath } from '../../control-plane/src/replicas/peer-hop.ts'
import { createPeerSignature } from '../../control-plane/src/replicas/peer-signature.ts'
import { createRedisDirectory } from '../../control-plane/src/replicas/redis-directory.ts'
import type { Registered } from '../../control-plane/src/replicas/tunnel-directory.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { askAt, startDaemon, startReplica, type RelayHarness } from '../support/relay-replica.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'

// Two replicas, `near` and `far`; the daemon's only tunnel ends at `far`, and all requests go to `near`.
let database: TestDatabase
let redis: TestRedis
let far: RelayHarness
let near: RelayHarness
let org: Awaited<ReturnType<RelayHarness['makeOrganization']>>
let daemon: Awaited<ReturnType<typeof startDaemon>>
let cookie: string
let cancelled = 0
let received = 0
/** The time for a hop to open, as in the product. */
const HOP_MS = 5_000
const notes = '/api/vaults/demo-vault/notes'
const files = '/api/vaults/demo-vault/attachments'

const startFar = () => startReplica(database.url, { redisUrl: redis.url, tunnelsPerDaemon: 1 })
const ask = (path: string, more: Partial<Parameters<typeof askAt>[1]> = {}) =>
  askAt(near.port, { host: org.host, path, ...more, headers: { cookie, ...more.headers } })

beforeAll(async () => {
  redis = await startRedis()
  database = await createTestDatabase()
  far = await startFar()
  const { baseUrl } = far
  const vaultOriginTemplate = `http://{label}.localhost:${far.port}`
  near = await startReplica(database.url, { redisUrl: redis.url, baseUrl, vaultOriginTemplate, tunnelsPerDaemon: 1 })
  org = await far.makeOrganization()
  daemon = await startDaemon(far, org, (request, response) => {
    if (request.url === '/api/vaults') return void response.end('{"ok":true,"vaults":[]}')
    if (request.url?.endsWith('/endless.md')) {
      const beat = setInterval(() => response.write('tick\n'), 20)
      response.once('close', () => (clearInterval(beat), (cancelled += 1)))
      return
    }
    if (request.method === 'PUT') {
      let bytes = 0
      request.on('data', (chunk: Buffer) => ((bytes += chunk.length), (received += chunk.length)))
      request.once('error', () => (cancelled += 1))
      request.once('end', () => response.end(String(bytes)))
      return
    }
    if (request.url?.endsWith('/large.md')) return void response.end(Buffer.alloc(20_000_000, 7))
    response.end('from the daemon')
  })
  const sockets = new WebSocketServer({ noServer: true })
  daemon.server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (one) => one.on('message', (data) => one.send(data))),
  )
  const person = await far.makePerson(org.orgId)
  cookie = await far.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
  await until('near knows of the tunnel', async () => (await near.relay.status(org.orgId)).connected)
})
afterAll(async () => {
  await daemon?.close()
  await near?.close()
  await far?.close()
  await database?.drop()
  await redis?.stop()
})

test('requests, uploads and downloads take one hop, streaming both ways', async () => {
  verifies('relay.one-hop')
  expect(near.relay.tunnelCount()).toBe(0)
  expect((await ask(`${notes}/README.md`)).text).toBe('from the daemon')
  expect((await ask(`${notes}/large.md`)).body.length).toBe(20_000_000)
  const body = Buffer.alloc(20_000_000, 1)
  const headers = { origin: org.origin, 'content-type': 'application/octet-stream' }
  expect((await ask(`${files}/film.bin`, { method: 'PUT', headers, body })).text).toBe('20000000')
})

test('a WebSocket crosses the hop', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${near.port}/api/vaults/demo-vault/live/README.md`, {
    headers: { host: org.host, cookie, origin: org.origin },
  })
  await once(socket, 'open')
  socket.send('keystroke')
  const [data] = (await once(socket, 'message')) as [Buffer]
  expect(data.toString()).toBe('keystroke')
  socket.terminate()
})

test('the platform calls the daemon through the other replica, and knows its status', async () => {
  expect(await near.relay.daemonClient(org.orgId).listVaults({ system: 'test' })).toMatchObject({ vaults: [] })
  expect(await near.relay.status(org.orgId)).toMatchObject({ connected: true, tunnels: 1, version: '0.0.0-test' })
})

test('cancellation crosses the hop: of an answer, and of an upload', async () => {
  const before = cancelled
  const open = (method: string, path: string) =>
    httpRequest({
      host: '127.0.0.1',
      port: near.port,
      method,
      path,
      headers: { host: org.host, cookie, origin: org.origin, 'content-type': 'application/octet-stream' },
      setHost: false,
    }).on('error', () => {})
  const reading = open('GET', `${notes}/endless.md`)
  reading.end()
  const [answer] = (await once(reading, 'response')) as [IncomingMessage]
  await once(answer, 'data')
  reading.destroy()
  await until('the answer is cancelled', () => cancelled === before + 1)

  const writing = open('PUT', `${files}/film.bin`)
  received = 0
  writing.write(Buffer.alloc(100_000))
  await until('the upload is under way', () => received > 0)
  writing.destroy()
  await until('the upload is cancelled', () => cancelled === before + 2)
})

/** Requests a hop from the internal listener of `far`; returns the status, which is 101 if the hop was accepted. */
function hop(path: string, authorization: string): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${far.internalPort}${path}`, [PEER_SUBPROTOCOL], {
    headers: { authorization },
  })
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.once('open', () => (socket.terminate(), resolve(101)))
    socket.once('unexpected-response', (_request, { statusCode }) => (socket.terminate(), resolve(statusCode ?? 0)))
  })
}

test('a hop is taken once, from a replica alone, for that tunnel, tenure and receiver', async () => {
  verifies('relay.hop-signed')
  const client = new Redis(redis.url)
  const fields = await client.hgetall(`svc:tunnels:${org.orgId}`)
  client.disconnect()
  const epoch = Number(fields.epoch)
  const connectionId = Object.keys(fields)
    .find((field) => field.startsWith('c:'))!
    .slice(2)
  const path = peerPath(org.orgId, connectionId, epoch)
  const secret = new Secret('a secret of at least thirty-two characters')
  const sign = createPeerSignature({ secret, clock: systemClock })
  const request = { method: 'GET', path, orgId: org.orgId, epoch, receiver: far.relay.replicaId }

  const good = sign.authorize(request)
  expect(await hop(path, good)).toBe(101)
  expect(await hop(path, good)).toBe(401) // a replay
  expect(await hop(path, sign.authorize({ ...request, receiver: near.relay.replicaId }))).toBe(401)
  expect(await hop(path, sign.authorize({ ...request, orgId: 'org_aaaaaaaaaaaaaaaaaaaaaaaa' }))).toBe(401)
  expect(await hop(path, sign.authorize({ ...request, method: 'POST' }))).toBe(401)
  expect(
    await hop(
      path,
      good.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ),
  ).toBe(401)
  expect(await hop(path, '')).toBe(401)
  const late = { now: () => new Date(Date.now() - 11_000) }
  expect(await hop(path, createPeerSignature({ secret, clock: late }).authorize(request))).toBe(401)
  const foreign = createPeerSignature({
    secret: new Secret('another secret of thirty-two characters!'),
    clock: systemClock,
  })
  expect(await hop(path, foreign.authorize(request))).toBe(401)

  const other = { ...request, path: peerPath(org.orgId, connectionId, epoch - 1), epoch: epoch - 1 }
  expect(await hop(other.path, sign.authorize(other))).toBe(503)
  const gone = { ...request, path: peerPath(org.orgId, randomUUID(), epoch) }
  expect(await hop(gone.path, sign.authorize(gone))).toBe(503)
})

test('a stale entry costs one hop and is skipped', async () => {
  verifies('relay.stale-entry')
  const client = new Redis(redis.url)
  const key = `svc:tunnels:${org.orgId}`
  const [field, value] = Object.entries(await client.hgetall(key)).find(([name]) => name.startsWith('c:'))!
  const dead = JSON.parse(value.slice(value.indexOf(' ') + 1)) as { connectionId: string; url: string }
  const place = (entry: object, id: string) =>
    client.hset(key, `c:${id}`, `${value.slice(0, value.indexOf(' '))} ${JSON.stringify(entry)}`)
  const [lost, moved] = [randomUUID(), randomUUID()]
  await client.hdel(key, field)
  await place({ ...dead, connectionId: lost, url: 'http://127.0.0.1:1' }, lost) // a replica that was killed
  await place({ ...dead, connectionId: moved }, moved) // a tunnel that no longer exists
  await client.hset(key, field, value)

  const third = await startReplica(database.url, {
    redisUrl: redis.url,
    baseUrl: far.baseUrl,
    vaultOriginTemplate: `http://{label}.localhost:${far.port}`,
  })
  const answer = await askAt(third.port, { host: org.host, path: `${notes}/README.md`, headers: { cookie } })
  expect(answer.text).toBe('from the daemon')
  expect(third.logged().split('a tunnel is not where it was').length - 1).toBeLessThanOrEqual(2)
  await client.hdel(key, `c:${lost}`, `c:${moved}`)
  await third.close()
  client.disconnect()
})

test('a replica that keeps silent for two seconds fails no request', async () => {
  const client = new Redis(redis.url)
  const key = `svc:tunnels:${org.orgId}`
  const [field, value] = Object.entries(await client.hgetall(key)).find(([name]) => name.startsWith('c:'))!
  const entry = JSON.parse(value.slice(value.indexOf(' ') + 1)) as { url: string }
  let held = 0
  const silent = createServer((incoming) => {
    held += 1
    void systemClock.sleep(2_000).then(() => {
      const onward = connect(Number(new URL(entry.url).port), '127.0.0.1')
      incoming.on('error', () => onward.destroy()).pipe(onward)
      onward.on('error', () => incoming.destroy()).pipe(incoming)
    })
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const slow = JSON.stringify({ ...entry, url: `http://127.0.0.1:${port}` })
  // The replica of the tunnel renews its entry now and then, so that a request may go past the silent one.
  await until('a request meets silence', async () => {
    held = 0
    const third = await startReplica(database.url, {
      redisUrl: redis.url,
      baseUrl: far.baseUrl,
      vaultOriginTemplate: `http://{label}.localhost:${far.port}`,
    })
    await client.hset(key, field, `${value.slice(0, value.indexOf(' '))} ${slow}`)
    const askedAt = systemClock.monotonic()
    const asking = askAt(third.port, { host: org.host, path: `${notes}/README.md`, headers: { cookie } })
    const { text } = await asking.finally(() => third.close())
    // A hop must open within five seconds. On a machine that stands still for most of them, two seconds are too many.
    if (text !== 'from the daemon' && systemClock.monotonic() - askedAt >= HOP_MS) return false
    expect(text).toBe('from the daemon')
    return held === 1
  })
  await client.hset(key, field, value)
  silent.close()
  client.disconnect()
})

test('another instance begins a new epoch; the old one can neither renew nor come back', async () => {
  verifies('relay.one-owner')
  const client = new Redis(redis.url)
  const shared = { redis: client, replicaId: 'r1', url: 'http://127.0.0.1:1', tunnelCount: () => 0 }
  const directory = createRedisDirectory({ ...shared, clock: systemClock, log: far.log })
  const tunnel = {
    orgId: `org_${'b'.repeat(24)}`,
    daemonId: org.daemonId,
    keyId: 1,
    version: '1',
    connectedAt: new Date(),
    epoch: undefined,
    leaving: false,
  }
  const epochOf = (answer: Registered) => (typeof answer === 'string' ? answer : answer.epoch)
  const old = { ...tunnel, connectionId: randomUUID(), instanceKey: 'old' }
  const young = { ...tunnel, connectionId: randomUUID(), instanceKey: 'young' }
  const first = Number(epochOf(await directory.register(old)))
  expect(await directory.register({ ...old, connectionId: randomUUID() })).toEqual({ epoch: first, tunnels: 2 })
  const second = Number(epochOf(await directory.register(young)))
  expect(second).toBeGreaterThan(first)
  expect(await directory.register({ ...old, epoch: first })).toBe('superseded')
  expect((await directory.refresh(tunnel.orgId)).entries.map(({ connectionId }) => connectionId)).toEqual([
    young.connectionId,
  ])

  // Redis loses all data: the replica that renews with the higher epoch gets the organization, in either order.
  for (const order of [[old, young] as const, [young, old] as const]) {
    await client.del(`svc:tunnels:${tunnel.orgId}`)
    for (const one of order) await directory.register({ ...one, epoch: one === old ? first : second })
    const { epoch, entries } = await directory.refresh(tunnel.orgId)
    expect([epoch, entries.map(({ connectionId }) => connectionId)]).toEqual([second, [young.connectionId]])
  }
  await directory.close()
  client.disconnect()
})

/** A tunnel that no replica has registered yet. */
const tunnelOf = (orgId: string) => ({
  orgId,
  connectionId: randomUUID(),
  daemonId: org.daemonId,
  instanceKey: 'one',
  keyId: 1,
  version: '1',
  connectedAt: new Date(),
  epoch: undefined,
  leaving: false,
})

test('a new tunnel that is registered after Redis has lost its data leaves the other tunnels of its instance open', async () => {
  verifies('relay.redis-lost', 'relay.one-owner')
  const client = new Redis(redis.url)
  const shared = { redis: client, replicaId: 'r1', url: 'http://127.0.0.1:1', tunnelCount: () => 0 }
  const directory = createRedisDirectory({ ...shared, clock: systemClock, log: far.log })
  const tunnel = tunnelOf(`org_${'d'.repeat(24)}`)
  const epochOf = (answer: Registered) => (typeof answer === 'string' ? answer : answer.epoch)
  const former = Number(epochOf(await directory.register(tunnel)))
  await client.del(`svc:tunnels:${tunnel.orgId}`)
  await until('the time is another one', async () => {
    const [seconds, microseconds] = await client.time()
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000) > former
  })
  const present = Number(epochOf(await directory.register({ ...tunnel, connectionId: randomUUID() })))
  expect(present).toBeGreaterThan(former)
  expect(await directory.register({ ...tunnel, epoch: former })).toEqual({ epoch: present, tunnels: 2 })
  await directory.close()
  client.disconnect()
})

test('a Redis that has lost its data takes no daemon off line before its replicas have renewed their entries', async () => {
  verifies('relay.redis-lost')
  const client = new Redis(redis.url)
  let later = 0
  const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + later }
  const shared = { redis: client, url: 'http://127.0.0.1:1', tunnelCount: () => 0, clock, log: far.log }
  const holder = createRedisDirectory({ ...shared, replicaId: 'holder' })
  const other = createRedisDirectory({ ...shared, replicaId: 'other' })
  const tunnel = tunnelOf(`org_${'c'.repeat(24)}`)
  const seen = async () => (await other.refresh(tunnel.orgId)).entries.map(({ connectionId }) => connectionId)
  const lose = () => client.del(`svc:tunnels:${tunnel.orgId}`)
  expect(await seen()).toEqual([])
  await holder.register(tunnel)
  expect(await seen()).toEqual([tunnel.connectionId])

  await lose()
  expect(await seen()).toEqual([tunnel.connectionId])
  await holder.register(tunnel)
  expect(await seen()).toEqual([tunnel.connectionId])
  // A tunnel that has ended is not taken for one that was lost.
  await holder.remove(tunnel.orgId, tunnel.connectionId)
  expect(await seen()).toEqual([])

  await holder.register(tunnel)
  expect(await seen()).toEqual([tunnel.connectionId])
  await lose()
  later = 30_000
  expect(await seen()).toEqual([])
  await Promise.all([holder.close(), other.close()])
  client.disconnect()
})

test('a key that is revoked while a tunnel is registered closes that tunnel, too', async () => {
  verifies('security.key-rechecked')
  // On this clock no minute passes, so the keys of open tunnels are not reviewed every minute.
  const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms < 60_000 ? ms : ms * 1000, signal)
  const replica = await startReplica(database.url, { redisUrl: redis.url, clock: { ...systemClock, sleep } })
  const other = await replica.makeOrganization()
  const home = await mkdtemp(join(tmpdir(), 'svc-home-'))
  const identity = await loadRelayIdentity(join(home, 'relay-identity.pem'))
  const connect = () => startDaemon(replica, other, (_request, response) => response.end(), { identity })
  const lastUse = () =>
    replica.db
      .selectFrom('daemon_keys')
      .select('last_used_at')
      .where('daemon_id', '=', other.daemonId)
      .executeTakeFirstOrThrow()
      .then(({ last_used_at }) => last_used_at?.getTime())
  const isHeld = () => replica.relay.findTunnel(other.orgId) !== undefined

  const first = await connect()
  await until('the first tunnel is open', isHeld)
  const client = new Redis(redis.url)
  await client.call('CLIENT', 'PAUSE', '60000', 'WRITE')
  const firstUse = await lastUse()
  const second = await connect()
  await until('the second tunnel is being registered', async () => (await lastUse()) !== firstUse)
  await replica.db.transaction().execute((trx) => rotateDaemonKeyNow(trx, { orgId: other.orgId, clock: systemClock }))
  await until('the revocation has arrived', () => !isHeld())
  const isConnected = () => second.connection.status().controlConnected
  expect(isConnected()).toBe(true)

  await client.call('CLIENT', 'UNPAUSE')
  await until('the second tunnel is closed', () => !isConnected())
  client.disconnect()
  await Promise.all([first.close(), second.close()])
  await replica.close()
  await removeFolder(home)
})

test('a revoked key closes the tunnel and its hops at once', async () => {
  await near.db.transaction().execute((trx) => rotateDaemonKeyNow(trx, { orgId: org.orgId, clock: systemClock }))
  await until('far holds no tunnel', () => far.relay.tunnelCount() === 0)
  // Revoking a key also changes the address of the organization's vaults (security.vault-origin-reset); the old address
  // leads nowhere.
  const statusNow = () =>
    ask(`${notes}/README.md`).then(
      ({ status }) => status,
      () => undefined,
    )
  await until('near has no way', async () => (await statusNow()) === 421)
})
