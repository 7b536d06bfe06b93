import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { bareFrame, decodeFrames, encodeFrames, frameTypes, jsonFrame, ProtocolError } from '@svc/shared/mux/frame.ts'
import { resetFrame, windowFrame, type Frame } from '@svc/shared/mux/frame.ts'
import { Tunnel, type TunnelSocket } from '@svc/shared/mux/tunnel.ts'
import { greetDaemon, relayLimits } from '../../control-plane/src/tunnels/tunnel-handshake.ts'
import { serveTunnel } from '../../daemon/src/relay/serve-tunnel.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

const MAX_TIMER_MS = 0x7fffffff
const MAX_CREDIT = 0x7fffffff
const orgId = `org_${'a'.repeat(24)}`
const daemonId = `dmn_${'b'.repeat(24)}`
const key = { kid: 'k', kty: 'OKP', crv: 'Ed25519', x: 'x', uses: ['request' as const] }
const names = { orgId, daemonId, issuer: 'https://svc.example', replicaId: 'r', connectionId: 'c' }
const limits = { maxFrameBytes: 65_536, maxStreams: 8, initialWindow: 65_536, heartbeatSeconds: 15 }
const relayHello = jsonFrame(frameTypes.hello, { protocol: 1, challenge: 'c', ...names, ...limits, keys: [key] })
const daemonHello = { protocol: 1, version: '1', instanceId: 'i', proof: 'p', maxFrameBytes: 65_536 }
const data = (stream: number, text: string): Frame => ({ type: frameTypes.data, stream, payload: Buffer.from(text) })
const seed = (...frames: Frame[]) => encodeFrames(frames).toString('latin1')
const open = (stream: number) => bareFrame(frameTypes.open, stream)
const end = (stream: number) => bareFrame(frameTypes.end, stream)

/** Messages of a tunnel at either end: each is read or closes the tunnel, and its numbers fit timers and credit. */
export const target: FuzzTarget = {
  name: 'frames',
  input: 'bytes',
  seeds: [
    seed(relayHello, open(1), data(1, 'GET / HTTP/1.1\r\n\r\n'), end(1), open(2), windowFrame(2, 1000)),
    seed(relayHello, jsonFrame(frameTypes.keys, { keys: [key] }), open(3), resetFrame(3, 2)),
    seed(relayHello, jsonFrame(frameTypes.goAway, { reason: 'draining', reconnectAfterMs: 5 })),
    seed(data(1, 'HTTP/1.1 200 OK\r\n\r\n'), windowFrame(1, 70_000), end(1), resetFrame(2, 0)),
    seed(jsonFrame(frameTypes.hello, daemonHello), bareFrame(frameTypes.keysWanted, 0)),
    seed({ type: frameTypes.ping, stream: 0, payload: Buffer.alloc(8) }, open(1), data(1, ''), end(1), data(1, 'x')),
  ],
  words: [
    ...Object.values(frameTypes).flatMap((type) => [seed(bareFrame(type, 0)), seed(bareFrame(type, 1))]),
    seed(windowFrame(1, MAX_CREDIT)),
    seed(resetFrame(1, 1)),
    seed(data(1, 'x')),
    seed(data(2, 'yy')),
    '9'.repeat(9),
    'e99',
    '[',
    '{"',
    '"__proto__":',
    'null',
    '\\ud800',
    '\xff\xff\xff\xff',
    '\0\0\0\0',
  ],
  async call(message) {
    assert.ok(message.equals(encodeFrames(framesOf(message))) || isCut(message))
    await Promise.all([atRelay(message), atGreeting(message), atDaemon(message)])
  },
}

/** One end of a WebSocket whose peer reads everything. */
class HostileSocket extends EventEmitter implements TunnelSocket {
  code = 0
  send(_message: Uint8Array, sent: (error?: Error) => void): void {
    setImmediate(sent)
  }
  close(code: number): void {
    this.code = code
  }
  terminate(): void {
    this.code = 1006
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

function framesOf(message: Buffer): Frame[] {
  const frames: Frame[] = []
  try {
    decodeFrames(message, (type, stream, payload) => void frames.push({ type, stream, payload }))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
  }
  return frames
}

function isCut(message: Buffer): boolean {
  try {
    decodeFrames(message, () => {})
    return false
  } catch (error) {
    return error instanceof ProtocolError
  }
}

/** A relay with two streams to the daemon: one has bytes to send, the other one nobody reads. */
async function atRelay(message: Buffer): Promise<void> {
  const socket = new HostileSocket()
  const tunnel = new Tunnel({ socket, side: 'relay', limits: relayLimits, clock: systemClock, events: { closed() {} } })
  tunnel.openSocket().resume().write('GET / HTTP/1.1\r\n\r\n')
  tunnel.openSocket()
  socket.emit('message', message, true)
  await turn()
  assert.equal(tunnel.closed, socket.code !== 0)
  assert.ok(tunnel.streamCount <= 2)
  tunnel.abort('over')
}

/** A relay that has not received a proof yet. */
async function atGreeting(message: Buffer): Promise<void> {
  const socket = new HostileSocket()
  const failed = (error: unknown) => {
    throw error
  }
  const on = { keysWanted() {}, leaving() {}, failed, closed() {} }
  const identity = { ...names, tunnels: 1, replicas: 1 }
  const greeted = greetDaemon({ socket, clock: systemClock, identity, keys: [], on })
  socket.emit('message', message, true)
  await turn()
  socket.emit('close', 1006, Buffer.alloc(0))
  assert.equal(await greeted, undefined)
}

/** A daemon that serves the streams that the relay opens. */
async function atDaemon(message: Buffer): Promise<void> {
  const socket = new HostileSocket()
  const session = serveTunnel({
    socket,
    identity: { instanceId: 'i', prove: () => 'p' },
    orgId,
    version: '1',
    keyGeneration: undefined,
    accept: () => true,
    serve: (stream) => void stream.resume(),
    clock: systemClock,
  })
  socket.emit('message', message, true)
  await turn()
  socket.emit('close', 1006, Buffer.alloc(0))
  const hello = await session.ready
  const goAway = await session.leaving
  if (hello !== undefined) assert.ok(hello.heartbeatSeconds * 1000 <= MAX_TIMER_MS && hello.initialWindow <= MAX_CREDIT)
  if (goAway !== undefined) assert.ok(goAway.reconnectAfterMs <= MAX_TIMER_MS)
}
