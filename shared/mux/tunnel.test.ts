import { createServer, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { socketPair } from '../../test/support/socket-pair.ts'
import { systemClock } from '../kit/clock.ts'
import { encodeFrames, frameTypes } from './frame.ts'
import type { StreamSocket } from './stream-socket.ts'
import { Tunnel, type TunnelLimits } from './tunnel.ts'

const limits: TunnelLimits = { maxStreams: 64, maxFrameBytes: 128 * 1024, initialWindow: 64 * 1024, heartbeatMs: 5_000 }

function tunnelPair(given: Partial<TunnelLimits> = {}) {
  const accepted: StreamSocket[] = []
  const ends: string[] = []
  const failures: unknown[] = []
  const [left, right] = socketPair()
  const common = { limits: { ...limits, ...given }, clock: systemClock }
  const onStream = (stream: StreamSocket) => void accepted.push(stream)
  const relay = new Tunnel({
    socket: left,
    side: 'relay',
    ...common,
    events: { closed: (code, reason) => void ends.push(`relay ${code} ${reason}`) },
  })
  const state = { stream: onStream }
  const daemon = new Tunnel({
    socket: right,
    side: 'daemon',
    ...common,
    events: {
      stream: (stream) => state.stream(stream),
      failed: (error) => void failures.push(error),
      closed: (code, reason) => void ends.push(`daemon ${code} ${reason}`),
    },
  })
  return { relay, daemon, left, right, accepted, ends, failures, state, close: () => relay.close(1000, 'over') }
}

/** As many turns of the event loop as anything here needs; a fixed time would be too short on a busy machine. */
const soon = async () => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
}

describe('a tunnel', () => {
  it('carries bytes both ways and ends each direction by itself', async () => {
    const { relay, state, close } = tunnelPair()
    state.stream = (stream) => void stream.pipe(stream)
    const stream = relay.openSocket()
    const sent = Buffer.alloc(3_000_000, 'abcdefg')
    stream.end(sent)
    expect(Buffer.compare(await buffer(stream), sent)).toBe(0)
    expect(relay.streamCount).toBe(0)
    close()
  })

  it("serves Node's own HTTP, keep-alive and large bodies", async () => {
    const { relay, state, close } = tunnelPair()
    const server = createServer(async (req, res) => res.end(await buffer(req)))
    state.stream = (stream) => void server.emit('connection', stream)
    const body = Buffer.alloc(1_000_000, 'x')
    for (const _ of [1, 2]) {
      const answer = await new Promise<Buffer>((resolve, reject) => {
        const req = request(
          { method: 'POST', path: '/', createConnection: () => relay.openSocket() },
          (res) => void buffer(res).then(resolve, reject),
        )
        req.on('error', reject)
        req.end(body)
      })
      expect(Buffer.compare(answer, body)).toBe(0)
    }
    close()
  })

  it('delivers the tail of what was written before destroySoon', async () => {
    const { relay, state, close } = tunnelPair()
    state.stream = (stream) => {
      stream.write(Buffer.alloc(500_000, 'y'))
      stream.destroySoon()
    }
    expect((await buffer(relay.openSocket())).length).toBe(500_000)
    close()
  })

  it('puts the frames of a turn into one message, or a few where many streams speak', async () => {
    const { relay, left, close } = tunnelPair()
    await soon()
    left.sentMessages.length = 0
    for (let i = 0; i < 10; i += 1) relay.openSocket().write('hello')
    await soon()
    expect(left.sentMessages).toEqual([8 * (8 + 8 + 5), 2 * (8 + 8 + 5)])
    close()
  })

  it('refuses streams over the limit on both sides', async () => {
    const { relay, daemon, accepted, close } = tunnelPair({ maxStreams: 2 })
    relay.openSocket()
    relay.openSocket()
    expect(() => relay.openSocket()).toThrowError(expect.objectContaining({ code: 'relay_overloaded' }))
    relay.adopt({ maxStreams: 3 })
    const third = relay.openSocket()
    const error = await new Promise((resolve) => third.once('error', resolve))
    expect(error).toMatchObject({ code: 'relay_overloaded' })
    expect(accepted).toHaveLength(2)
    expect(daemon.streamCount).toBe(2)
    close()
  })

  it('resets the other end when one is destroyed', async () => {
    const { relay, accepted, daemon, close } = tunnelPair()
    const stream = relay.openSocket()
    stream.write('x')
    await soon()
    const closed = new Promise((resolve) => accepted[0]!.once('close', resolve))
    stream.destroy(new Error('gone'))
    await closed
    expect(accepted[0]!.errored).toMatchObject({ code: 'stream_reset' })
    expect(daemon.streamCount).toBe(0)
    close()
  })

  it('skips unknown kinds of frames', async () => {
    const { relay, left, state, close } = tunnelPair()
    state.stream = (stream) => void stream.pipe(stream)
    left.send(encodeFrames([{ type: 200, stream: 0, payload: Buffer.from('later') }]), () => {})
    const stream = relay.openSocket()
    stream.end('still here')
    expect((await buffer(stream)).toString()).toBe('still here')
    close()
  })

  it.each([
    ['data beyond credit', { type: frameTypes.data, stream: 1, payload: Buffer.alloc(70_000) }],
    ['a frame of an unopened stream', { type: frameTypes.data, stream: 9, payload: Buffer.alloc(1) }],
    ['an overflowing window', { type: frameTypes.window, stream: 1, payload: Buffer.from('ffffffff', 'hex') }],
    ['a short window frame', { type: frameTypes.window, stream: 1, payload: Buffer.alloc(2) }],
    ['a reset without a code', { type: frameTypes.reset, stream: 1, payload: Buffer.alloc(0) }],
    ['a reset with two codes', { type: frameTypes.reset, stream: 1, payload: Buffer.alloc(2) }],
    ['an end with a payload', { type: frameTypes.end, stream: 1, payload: Buffer.alloc(1) }],
    ['a long ping', { type: frameTypes.ping, stream: 0, payload: Buffer.alloc(9) }],
    ['a stream opened by the daemon', { type: frameTypes.open, stream: 2, payload: Buffer.alloc(0) }],
    ['a hello that is not JSON', { type: frameTypes.hello, stream: 0, payload: Buffer.from('{') }],
  ])('closes with 1002 on %s', async (_what, frame) => {
    const { relay, right, ends } = tunnelPair()
    const stream = relay.openSocket()
    stream.on('error', () => {})
    await soon()
    right.send(encodeFrames([frame]), () => {})
    await soon()
    expect(ends.join('; ')).toContain('relay 1002')
    expect(stream.destroyed).toBe(true)
  })

  it('closes with 1011 after a fault of ours, which is reported and ends nothing else', async () => {
    const { relay, state, ends, failures } = tunnelPair()
    state.stream = () => {
      throw new TypeError('a fault')
    }
    const stream = relay.openSocket()
    stream.on('error', () => {})
    await soon()
    expect(failures).toEqual([new TypeError('a fault')])
    expect(ends.join('; ')).toContain('relay 1011 internal')
    expect(stream.destroyed).toBe(true)
  })

  it('keeps a sparse stream ahead of a bulk transfer', async () => {
    const { relay, state, left, close } = tunnelPair()
    const order: number[] = []
    state.stream = (stream) => void stream.on('data', (chunk: Buffer) => void order.push(chunk.length))
    const bulk = relay.openSocket()
    const small = relay.openSocket()
    await soon()
    left.stalled = true
    bulk.write(Buffer.alloc(2_000_000))
    await soon()
    small.write('k')
    left.resume()
    await soon()
    expect(order.indexOf(1)).toBeGreaterThan(-1)
    expect(order.slice(0, order.indexOf(1)).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(400_000)
    close()
  })

  it('opens no streams once it is leaving, and lets open ones finish', async () => {
    const { relay, state, close } = tunnelPair()
    state.stream = (stream) => void stream.pipe(stream)
    const stream = relay.openSocket()
    relay.leave({ reason: 'draining', reconnectAfterMs: 0 })
    expect(relay.available).toBe(false)
    expect(() => relay.openSocket()).toThrowError(expect.objectContaining({ code: 'daemon_offline' }))
    stream.end('last words')
    expect((await buffer(stream)).toString()).toBe('last words')
    close()
  })
})
