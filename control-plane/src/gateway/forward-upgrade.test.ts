import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { duplexPair, type Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { playDaemon, someTurns } from '../../../test/support/played-daemon.ts'
import { forwardUpgrade } from './forward-upgrade.ts'
import { RequestEnd } from './request-end.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='
const accepted = createHash('sha1').update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
const ACCEPTED = `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accepted}\r\n\r\n`

/** A handshake of a browser, forwarded to a daemon which the test plays. */
async function handshake() {
  const daemon = playDaemon()
  const [browser, socket] = duplexPair()
  const forwarded = forwardUpgrade({
    request: { headers: { 'sec-websocket-key': KEY } } as IncomingMessage,
    socket: socket as Duplex,
    head: Buffer.alloc(0),
    tunnel: daemon.tunnel,
    target: '/live',
    headers: ['host', 'x', 'connection', 'Upgrade', 'upgrade', 'websocket', 'sec-websocket-key', KEY],
    requestEnd: new RequestEnd(),
    count: () => {},
  })
  const outcome = forwarded.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  )
  await someTurns()
  return { daemon, browser, socket, outcome }
}

test('a daemon that never answers the handshake is waited for twenty seconds', async () => {
  const { daemon, outcome } = await handshake()
  vi.advanceTimersByTime(19_999)
  await someTurns()
  expect(await Promise.race([outcome, 'waits'])).toBe('waits')
  vi.advanceTimersByTime(1)
  expect(await outcome).toBe('daemon_timeout')
  daemon.close()
})

test('a session that was accepted may be quiet for longer', async () => {
  const { daemon, browser, outcome } = await handshake()
  daemon.send(1, [ACCEPTED])
  await someTurns()
  vi.advanceTimersByTime(3_600_000)
  daemon.send(1, ['later'])
  await someTurns()
  daemon.close()
  expect(await text(browser)).toMatch(/^HTTP\/1\.1 101 [^]*later$/)
  expect(await outcome).toBe('done')
})

test('a browser that goes on sending to a daemon that has ended its stream is disconnected', async () => {
  verifies('relay.permits')
  const { daemon, browser, socket, outcome } = await handshake()
  daemon.send(1, [ACCEPTED, 'the last words'])
  const read = text(browser)
  await someTurns()
  daemon.end(1)
  daemon.reset(1)
  await someTurns()
  browser.end('x')
  await someTurns()
  expect(await read).toMatch(/the last words$/)
  expect(socket.destroyed).toBe(true)
  expect(await outcome).toBe('done')
})

test('a browser that does not read the last words of a daemon is disconnected, and counts until then', async () => {
  verifies('relay.permits')
  const { daemon, socket, outcome } = await handshake()
  daemon.send(1, [ACCEPTED, 'the last words'])
  await someTurns()
  daemon.end(1)
  daemon.reset(1)
  await someTurns()
  vi.advanceTimersByTime(29_999)
  await someTurns()
  expect([socket.destroyed, await Promise.race([outcome, 'waits'])]).toEqual([false, 'waits'])
  vi.advanceTimersByTime(1)
  expect(await outcome).toBe('done')
  expect(socket.destroyed).toBe(true)
})
