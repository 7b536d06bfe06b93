import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../requirements.ts'
import { encodeFrames, frameTypes, type Frame } from '@svc/shared/mux/frame.ts'
import { instanceProofText, RelayHello, TUNNEL_SUBPROTOCOL, type DaemonHello } from '@svc/shared/wire/tunnel-hello.ts'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { hostileAnswers } from '../corpus/hostile-answers.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, type Answer, type RelayHarness } from '../support/relay-replica.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { standsStill } from '../support/stands-still.ts'

type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>>

/** The headers that a browser may receive. Written down here a second time, independent of the implementation. */
const VISIBLE = new Set(
  `content-type content-length content-encoding content-range content-disposition accept-ranges etag last-modified retry-after
  vary location cache-control x-content-type-options content-security-policy cross-origin-resource-policy
  cross-origin-opener-policy origin-agent-cluster referrer-policy date connection keep-alive transfer-encoding`.split(
    /\s+/,
  ),
)

let harness: RelayHarness
let org: Organization
let neighbour: Organization
let cookie: string
let neighbourCookie: string
let hostile: Awaited<ReturnType<typeof startDaemon>>
let friendly: Awaited<ReturnType<typeof startDaemon>>
let home: string
let nextAnswer: (stream: Duplex) => void = () => {}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-hostile-'))
  harness = await startRelay()
  org = await harness.makeOrganization()
  neighbour = await harness.makeOrganization()
  hostile = await startDaemon(harness, org, () => {}, {
    serve: (stream) => void stream.once('data', () => nextAnswer(stream)),
  })
  friendly = await startDaemon(harness, neighbour, (_req, res) => void res.end('fine'))
  for (const one of [org, neighbour]) await until(async () => (await harness.relay.status(one.orgId)).connected)
  cookie = await harness.enter({ orgId: org.orgId, person: await harness.makePerson(org.orgId), vault: 'v' })
  neighbourCookie = await harness.enter({
    orgId: neighbour.orgId,
    person: await harness.makePerson(neighbour.orgId),
    vault: 'v',
  })
})
afterAll(async () => {
  await hostile.close()
  await friendly.close()
  await harness.close()
  await removeFolder(home)
})

const askHostile = (): Promise<Answer | 'cut'> =>
  harness.ask({ host: org.host, path: '/api/vaults/v/tree', headers: { cookie } }).catch(() => 'cut' as const)
const askNeighbour = () =>
  harness.ask({ host: neighbour.host, path: '/api/vaults/v/tree', headers: { cookie: neighbourCookie } })

describe('hostile daemons', () => {
  it('show a browser nothing but what the allow-list lets through', async () => {
    verifies('security.response-headers')
    const wrong: string[] = []
    for (const { name, raw, status, cut } of hostileAnswers) {
      nextAnswer = (stream) => void stream.end(Buffer.from(raw, 'latin1'))
      const answer = await askHostile()
      if (answer === 'cut') {
        if (!cut) wrong.push(`${name}: was cut`)
        continue
      }
      if (!status.includes(answer.status)) wrong.push(`${name}: status ${answer.status} ${answer.text.slice(0, 100)}`)
      for (const [header, value] of Object.entries(answer.headers)) {
        if (!VISIBLE.has(header)) wrong.push(`${name}: ${header} reached the browser`)
        if (/evil|stolen|report-|unsafe-none|public/.test(String(value)))
          wrong.push(`${name}: ${header}: ${String(value)}`)
      }
      if (answer.headers['cache-control'] !== 'private, no-store') wrong.push(`${name}: cache-control`)
      if (!String(answer.headers['content-security-policy']).startsWith("default-src 'self'"))
        wrong.push(`${name}: policy`)
    }
    expect(wrong).toEqual([])
    expect(hostileAnswers.length).toBeGreaterThanOrEqual(100)
    expect((await askNeighbour()).text).toBe('fine')
  })

  it('cannot make the gateway hold an endless body', async () => {
    let written = 0
    nextAnswer = (stream) => {
      stream.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      const chunk = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`)
      const more = () => {
        while (!stream.destroyed && written < 200_000_000) {
          written += chunk.length
          if (!stream.write(chunk)) return void stream.once('drain', more)
        }
      }
      more()
    }
    const { connect } = await import('node:net')
    const slow = connect(harness.port, '127.0.0.1')
    slow.write(`GET /api/vaults/v/tree HTTP/1.1\r\nHost: ${org.host}\r\nCookie: ${cookie}\r\n\r\n`)
    slow.pause() // a browser that does not read
    await until(() => written > 0)
    await standsStill(() => written, askNeighbour)
    expect(written).toBeLessThan(60_000_000)
    expect((await askNeighbour()).text).toBe('fine')
    slow.destroy()
  })

  it('bind no socket to them: a browser that leaves ends the stream', async () => {
    let ended = false
    nextAnswer = (stream) => {
      stream.once('close', () => (ended = true))
      stream.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n')
    }
    const { connect } = await import('node:net')
    const browser = connect(harness.port, '127.0.0.1')
    browser.write(`GET /api/vaults/v/events HTTP/1.1\r\nHost: ${org.host}\r\nCookie: ${cookie}\r\n\r\n`)
    await new Promise((resolve) => browser.once('data', resolve))
    browser.destroy()
    await until(() => ended)
  })

  it('end only their own tunnel with hostile frames', async () => {
    const evil = await harness.makeOrganization()
    const frame = (type: number, stream: number, payload: Buffer | string = ''): Frame => ({
      type,
      stream,
      payload: Buffer.from(payload),
    })
    const messages: [string, 'kept' | number, Buffer | string][] = [
      ['text', 1002, encodeFrames([frame(frameTypes.ping, 0, Buffer.alloc(8))]).toString('latin1')],
      ['half a header', 1002, Buffer.alloc(5)],
      ['a length beyond the message', 1002, Buffer.from([2, 0xff, 0xff, 0xff, 0, 0, 0, 1])],
      ['data of an unopened stream', 1002, encodeFrames([frame(frameTypes.data, 7, 'x')])],
      ['open from the daemon', 1002, encodeFrames([frame(frameTypes.open, 2)])],
      ['a second hello', 1002, encodeFrames([frame(frameTypes.hello, 0, '{}')])],
      ['a go-away that is not JSON', 1002, encodeFrames([frame(frameTypes.goAway, 0, '{{{')])],
      ['a short ping', 1002, encodeFrames([frame(frameTypes.ping, 0, 'abc')])],
      ['a window of an unopened stream', 1002, encodeFrames([frame(frameTypes.window, 9, Buffer.alloc(4, 255))])],
      ['a huge message', 1009, Buffer.alloc(2_000_000)],
      [
        'ten thousand pings',
        'kept',
        encodeFrames(Array.from({ length: 10_000 }, () => frame(frameTypes.ping, 0, Buffer.alloc(8)))),
      ],
      [
        'ten thousand requests for keys',
        'kept',
        encodeFrames(Array.from({ length: 10_000 }, () => frame(frameTypes.keysWanted, 0))),
      ],
      ...Array.from({ length: 30 }, (_, seed) => [`noise ${seed}`, 1002, noise(seed)] as [string, number, Buffer]),
    ]
    for (const [name, ends, message] of messages) {
      const socket = await greetedSocket(evil)
      expect(await endAfter(socket, message), name).toBe(ends)
      expect((await askNeighbour()).text, name).toBe('fine')
      socket.terminate()
      await until(async () => !(await harness.relay.status(evil.orgId)).connected)
    }
    expect(harness.logged()).not.toContain('"level":"error"')
  })

  it('are refused with a false proof, a bad hello, a wrong key or the key of another', async () => {
    const victim = await harness.makeOrganization()
    for (const path of [victim.orgId, 'org_nobody', '..', `${victim.orgId}/x`]) {
      const key = path === victim.orgId ? `${victim.apiKey.slice(0, -1)}_` : victim.apiKey
      const refused = await dial(path, key).catch((error: Error) => error.message)
      expect(refused).toMatch(/401|404|400/)
    }
    const other = await dial(victim.orgId, org.apiKey).catch((error: Error) => error.message)
    expect(other).toMatch(/401/)
    const socket = (await dial(victim.orgId, victim.apiKey)) as WebSocket
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    socket.resume()
    const hello: DaemonHello = {
      protocol: 1,
      version: 'x',
      instanceId: Buffer.alloc(32, 1).toString('base64url'),
      proof: Buffer.alloc(64).toString('base64url'),
      maxFrameBytes: 16_384,
    }
    socket.send(encodeFrames([{ type: frameTypes.hello, stream: 0, payload: Buffer.from(JSON.stringify(hello)) }]))
    expect(await closed).toBe(1008)
    expect((await harness.relay.status(victim.orgId)).connected).toBe(false)
  })
})

/** The open WebSocket of a daemon, which reads nothing until it is resumed. */
function dial(path: string, key: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${harness.port}/t/${path}`, [TUNNEL_SUBPROTOCOL], {
    headers: { authorization: `Bearer ${key}`, host: `localhost:${harness.port}` },
  })
  socket.on('error', () => {})
  return new Promise((resolve, reject) => {
    socket.once('open', () => (socket.pause(), resolve(socket)))
    socket.once('error', reject)
  })
}

/** The WebSocket of a daemon after the greeting, on which the test can send anything. */
async function greetedSocket({ orgId, apiKey }: Organization): Promise<WebSocket> {
  identity ??= await loadRelayIdentity(join(home, 'key.pem'))
  const socket = await dial(orgId, apiKey)
  const first = await new Promise<Buffer>((resolve) => {
    socket.once('message', resolve)
    socket.resume()
  })
  const relayHello = RelayHello.parse(JSON.parse(first.subarray(8, 8 + (first.readUInt32BE(0) & 0xffffff)).toString()))
  const hello: DaemonHello = {
    protocol: 1,
    version: 'evil',
    instanceId: identity.instanceId,
    proof: identity.prove(instanceProofText(relayHello)),
    maxFrameBytes: 16_384,
  }
  socket.send(encodeFrames([{ type: frameTypes.hello, stream: 0, payload: Buffer.from(JSON.stringify(hello)) }]))
  await until(async () => (await harness.relay.status(orgId)).connected)
  return socket
}

/** Sends a message; returns the code with which the relay closes, or `kept` if it responds to a ping that follows. */
function endAfter(socket: WebSocket, message: Buffer | string): Promise<'kept' | number> {
  const mark = Buffer.from('the mark')
  const ping = encodeFrames([{ type: frameTypes.ping, stream: 0, payload: mark }])
  return new Promise((resolve) => {
    socket.once('close', resolve)
    socket.on('message', (data: Buffer) => {
      if (data[0] !== frameTypes.pong) return
      // The relay may respond to several pings with the payload of the first.
      if (data.includes(mark)) resolve('kept')
      else socket.send(ping)
    })
    socket.send(message)
    socket.send(ping)
  })
}
let identity: Awaited<ReturnType<typeof loadRelayIdentity>> | undefined

/** Pseudo-random bytes; the same seed gives the same bytes. */
function noise(seed: number): Buffer {
  let state = seed + 1
  return Buffer.from(
    Array.from({ length: 500 }, () => {
      state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
      return state >> 16
    }),
  )
}
