import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { PAGE_MS, type HostedState } from '../../control-plane/src/gateway/wake-queue.ts'
import { verifies } from '../requirements.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, type RelayHarness } from '../support/relay-replica.ts'
import { standsStill } from '../support/stands-still.ts'

type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>>
type Daemon = Awaited<ReturnType<typeof startDaemon>>

const hostedStates = new Map<string, HostedState>()
const woken: string[] = []
const hosted = {
  state: async (orgId: string) => hostedStates.get(orgId) ?? 'not_hosted',
  wakeIfAsleep: async (orgId: string) => {
    const state = hostedStates.get(orgId) ?? 'not_hosted'
    if (state === 'sleeping') woken.push(orgId)
    return state
  },
}
let harness: RelayHarness
let org: Organization
let cookie: string
let daemon: Daemon
/** The bytes that the daemon has received of a body, when it is told to stop reading. */
let stalledBytes = 0
let readOn = () => {}
let uploadClosed = false
let answerClosed = false

beforeAll(async () => {
  harness = await startRelay({ hosted })
  org = await harness.makeOrganization()
  cookie = await harness.enter({ orgId: org.orgId, person: await harness.makePerson(org.orgId), vault: 'v' })
  daemon = await startDaemon(harness, org, async (req, res) => {
    if (req.url?.includes('stall')) {
      req.once('data', (chunk: Buffer) => {
        stalledBytes += chunk.length
        req.pause()
        readOn = () => req.resume()
      })
      return void req.once('close', () => (uploadClosed = true))
    }
    if (req.url?.includes('early')) return void res.writeHead(413).end('too large')
    if (req.url?.endsWith('/events')) {
      res.once('close', () => (answerClosed = true))
      return void res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    }
    let bytes = 0
    for await (const chunk of req) bytes += (chunk as Buffer).length
    res.end(String(bytes))
  })
  await until(async () => (await harness.relay.status(org.orgId)).connected)
})
afterAll(async () => {
  await daemon.close()
  await harness.close()
})

const head = (method: string, path: string, more: string[] = []) =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: ${org.host}`,
    `Cookie: ${cookie}`,
    `Origin: ${org.origin}`,
    ...more,
    '',
    '',
  ].join('\r\n')
const open = () => connect(harness.port, '127.0.0.1')
const firstData = (socket: Socket) =>
  new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
const PUT = '/api/vaults/v/attachments/'

/** Writes as much as the other side accepts, up to a limit; returns a reader of the number of written bytes. */
function writeTo(socket: Socket, limit: number): () => number {
  const block = Buffer.alloc(64 * 1024)
  let written = 0
  const more = () => {
    while (written < limit) {
      written += block.length
      if (!socket.write(block)) return void socket.once('drain', more)
    }
  }
  more()
  return () => written
}

describe('bodies', () => {
  it('of 100 MB go up as a stream', async () => {
    const before = process.memoryUsage.rss()
    const socket = open()
    socket.write(head('PUT', `${PUT}film`, ['Content-Length: 104857600']))
    let answer = ''
    socket.on('data', (data) => (answer += String(data)))
    writeTo(socket, 104_857_600)
    await until(() => answer.endsWith('104857600')) // the bytes that the daemon has counted
    expect(answer).toContain('200 OK')
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000)
    socket.destroy()
  })

  it('wait for a daemon that does not read, and end when the browser leaves', async () => {
    const socket = open()
    socket.on('error', () => {})
    socket.write(head('PUT', `${PUT}stall`, ['Content-Length: 104857600']))
    const written = writeTo(socket, 104_857_600)
    await until(() => stalledBytes > 0)
    await standsStill(written, () => harness.ask({ host: org.host, path: '/api/vaults/v/tree', headers: { cookie } }))
    expect(written()).toBeLessThan(40_000_000) // the most that kernels and windows hold
    expect(stalledBytes).toBeLessThan(1_000_000)
    socket.destroy()
    readOn() // the daemon reads what the browser has sent, and then notices the end
    await until(() => uploadClosed)
  })

  it('may get their response before they are complete', async () => {
    const socket = open()
    socket.on('error', () => {})
    const answer = firstData(socket)
    socket.write(head('PUT', `${PUT}early`, ['Content-Length: 50000000']))
    socket.write(Buffer.alloc(100_000))
    expect(await answer).toContain('413')
    socket.destroy()
  })

  it('of an endless answer end at the daemon when the browser leaves', async () => {
    const socket = open()
    socket.write(head('GET', '/api/vaults/v/events'))
    expect(await firstData(socket)).toContain('text/event-stream')
    socket.destroy()
    await until(() => answerClosed)
  })
})

describe('limits of an organization', () => {
  it('bound its concurrent requests and its bytes, with a typed failure that says when to retry', async () => {
    const limits = {
      concurrent: 5,
      bytesPerSecond: 4_000_000,
      burstBytes: 8_000_000,
      queuedBytes: 64_000_000,
      personPart: 0.5,
    }
    const small = await startRelay({ limits })
    const one = await small.makeOrganization()
    const person = await small.makePerson(one.orgId)
    const own = await small.enter({ orgId: one.orgId, person, vault: 'v' })
    const behind = await startDaemon(small, one, (req, res) => {
      if (req.url?.endsWith('/events')) return void res.writeHead(200).write('data: 1\n\n')
      req.resume().once('end', () => res.end('ok'))
    })
    const ask = () => small.ask({ host: one.host, path: '/api/vaults/v/tree', headers: { cookie: own } })
    await until(async () => (await ask()).status === 200)

    const sockets = Array.from({ length: 5 }, () => {
      const socket = connect(small.port, '127.0.0.1')
      socket.write(`GET /api/vaults/v/events HTTP/1.1\r\nHost: ${one.host}\r\nCookie: ${own}\r\n\r\n`)
      return socket
    })
    await Promise.all(sockets.map(firstData))
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { code: 'too_many_requests', details: { limit: 'concurrent' } },
    })
    for (const socket of sockets) socket.destroy()
    await until(async () => (await ask()).status === 200)

    const headers = { cookie: own, origin: one.origin }
    let drained = await ask()
    await until(async () => {
      await small.ask({ method: 'PUT', host: one.host, path: `${PUT}film`, headers, body: Buffer.alloc(30_000_000) })
      return (drained = await ask()).status === 429
    })
    expect(JSON.parse(drained.text)).toMatchObject({
      error: { code: 'too_many_requests', details: { limit: 'bytes' } },
    })
    expect(Number(drained.headers['retry-after'])).toBeGreaterThan(0)
    await until(async () => (await ask()).status === 200)
    await behind.close()
    await small.close()
  })
})

describe('a daemon that is away', () => {
  const visitor = async (state: HostedState, relay = harness) => {
    const one = await relay.makeOrganization()
    hostedStates.set(one.orgId, state)
    const person = await relay.makePerson(one.orgId)
    return { one, cookie: await relay.enter({ orgId: one.orgId, person, vault: 'v' }) }
  }

  it('offline: a page that loads itself again, and a typed failure for programs', async () => {
    const { one, cookie: own } = await visitor('not_hosted')
    const page = await harness.ask({ host: one.host, path: '/v/v', headers: { cookie: own, accept: 'text/html' } })
    expect([page.status, page.headers['retry-after']]).toEqual([503, '5'])
    expect(page.text).toContain('http-equiv="refresh"')
    const program = await harness.ask({ host: one.host, path: '/api/vaults/v/tree', headers: { cookie: own } })
    expect(JSON.parse(program.text)).toMatchObject({ error: { code: 'daemon_offline' } })
    expect(program.headers['retry-after']).toBe('5')
  })

  it('sleeping: is woken by requests, which are held until it is there', async () => {
    const { one, cookie: own } = await visitor('sleeping')
    verifies('wake.held', 'wake.page')
    const askedAt = performance.now()
    const page = await harness.ask({ host: one.host, path: '/', headers: { cookie: own, accept: 'text/html' } })
    expect(performance.now() - askedAt).toBeGreaterThan(1_400)
    expect([page.status, page.text]).toEqual([202, expect.stringMatching(/http-equiv="refresh"[^]*waking up/)])
    const held = Array.from({ length: 30 }, () =>
      harness.ask({ host: one.host, path: '/api/vaults/v/tree', headers: { cookie: own } }),
    )
    await until(() => woken.filter((orgId) => orgId === one.orgId).length > 1)
    const woke = await startDaemon(harness, one, (_req, res) => void res.end('good morning'))
    expect((await Promise.all(held)).map(({ text }) => text)).toEqual(Array.from({ length: 30 }, () => 'good morning'))
    await woke.close()
  })

  it('sleeping: a page that is there in time is no waiting page', async () => {
    // On this clock a page is held for minutes, so that the daemon comes in time on a busy machine, too.
    const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms === PAGE_MS ? ms * 100 : ms, signal)
    const patient = await startRelay({ hosted, clock: { ...systemClock, sleep } })
    const { one, cookie: own } = await visitor('sleeping', patient)
    const page = patient.ask({ host: one.host, path: '/', headers: { cookie: own, accept: 'text/html' } })
    await until(() => woken.includes(one.orgId))
    const woke = await startDaemon(patient, one, (_req, res) => void res.end('the page'))
    expect(await page).toMatchObject({ status: 200, text: 'the page' })
    await woke.close()
    await patient.close()
  })

  it('sleeping: a download is held like the request of a program, and never saves a page under the name of the file', async () => {
    // On this clock a page is not held at all, and everything else is held for minutes.
    const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms === PAGE_MS ? 0 : ms * 100, signal)
    const relay = await startRelay({ hosted, clock: { ...systemClock, sleep } })
    const { one, cookie: own } = await visitor('sleeping', relay)
    const open = (dest: string) =>
      relay.ask({
        host: one.host,
        path: '/api/vaults/v/attachments/a.pdf',
        headers: { cookie: own, accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': dest },
      })
    expect(await open('document')).toMatchObject({ status: 202, text: expect.stringContaining('waking up') })

    const download = open('empty')
    await until(() => woken.filter((orgId) => orgId === one.orgId).length > 1)
    const woke = await startDaemon(relay, one, (_req, res) => void res.end('the file'))
    expect(await download).toMatchObject({ status: 200, text: 'the file' })
    await woke.close()

    const { one: away, cookie: theirs } = await visitor('failed', relay)
    const failed = await relay.ask({
      host: away.host,
      path: '/api/vaults/v/export',
      headers: { cookie: theirs, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'empty' },
    })
    expect([failed.status, failed.headers['content-type']]).toEqual([503, expect.stringContaining('application/json')])
    await relay.close()
  })

  it('sleeping: an event stream is told so and wakes nobody; one of a daemon that starts is held', async () => {
    verifies('sleep.streams-end')
    const { one, cookie: own } = await visitor('sleeping')
    const events = () => harness.ask({ host: one.host, path: '/api/vaults/v/events', headers: { cookie: own } })
    const told = await events()
    expect([told.status, told.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(told.text).toBe('event: sleep\ndata: {"reason":"asleep"}\n\n')
    expect(woken).not.toContain(one.orgId)

    hostedStates.set(one.orgId, 'starting')
    const held = events()
    const woke = await startDaemon(harness, one, (_req, res) => void res.end('data: changes\n\n'))
    expect((await held).text).toBe('data: changes\n\n')
    await woke.close()
  })

  it('sleeping: what an open page asks by itself does not wake it, and does not fail because of that', async () => {
    verifies('sleep.tabs')
    const { one, cookie: own } = await visitor('sleeping')
    const look = { host: one.host, path: '/_svc/person', method: 'HEAD', headers: { cookie: own } }
    expect(await harness.ask(look)).toMatchObject({ status: 200, text: '' })
    expect((await harness.ask({ ...look, headers: {} })).status).toBe(401)
    const socket = open()
    const lines = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${'a'.repeat(22)}==`,
    ]
    const target = '/api/vaults/v/live/a.md?unattended'
    socket.write(
      [`GET ${target} HTTP/1.1`, `Host: ${one.host}`, `Cookie: ${own}`, `Origin: ${one.origin}`, ...lines, '', ''].join(
        '\r\n',
      ),
    )
    expect(await firstData(socket)).toMatch(/^HTTP\/1\.1 503 [^]*"daemon_offline"[^]*asleep/)
    expect(woken).not.toContain(one.orgId)

    hostedStates.set(one.orgId, 'not_hosted')
    expect((await harness.ask(look)).status).toBe(503)
  })

  it('sleeping: status and the list of vaults do not wake it', async () => {
    verifies('wake.reads-wake-nobody')
    const { one } = await visitor('sleeping')
    const before = woken.length
    await harness.relay.status(one.orgId)
    await expect(harness.relay.daemonClient(one.orgId).listVaults({ system: 'test' })).rejects.toMatchObject({
      code: 'daemon_offline',
    })
    expect(woken.length).toBe(before)
  })
})
