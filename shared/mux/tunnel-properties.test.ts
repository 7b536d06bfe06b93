import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { socketPair } from '../../test/support/socket-pair.ts'
import { systemClock } from '../kit/clock.ts'
import { decodeFrames, encodeFrames, type Frame } from './frame.ts'
import type { StreamSocket } from './stream-socket.ts'
import { Tunnel, type TunnelLimits } from './tunnel.ts'

const limits: TunnelLimits = {
  maxStreams: 20_000,
  maxFrameBytes: 16_384,
  initialWindow: 64 * 1024,
  heartbeatMs: 60_000,
}

function tunnelPair(given: Partial<TunnelLimits>, onStream: (stream: StreamSocket) => void) {
  const [left, right] = socketPair()
  const ends: string[] = []
  const common = { limits: { ...limits, ...given }, clock: systemClock }
  const closed = (_code: number, reason: string) => void ends.push(reason)
  const relay = new Tunnel({ socket: left, side: 'relay', ...common, events: { closed } })
  const daemon = new Tunnel({ socket: right, side: 'daemon', ...common, events: { closed, stream: onStream } })
  for (const tunnel of [relay, daemon]) tunnel.adopt({})
  return { relay, daemon, left, right, ends }
}

/** Bytes that encode their stream and position, so that a lost, doubled or foreign byte shows. */
const pattern = (id: number, bytes: number) => Buffer.alloc(bytes, `${id}:abcdefghijklmnopqrstuvwxyz;`)
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const turn = () => new Promise((resolve) => setImmediate(resolve))

type Plan = { chunks: number[]; echo: boolean; slow: boolean; fate: 'end' | 'destroy' | 'peer-destroys' }
const plans = fc.array(
  fc.record<Plan>({
    chunks: fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 8 }),
    echo: fc.boolean(),
    slow: fc.boolean(),
    fate: fc.constantFrom('end', 'end', 'end', 'destroy', 'peer-destroys'),
  }),
  { minLength: 1, maxLength: 12 },
)

/** Runs one stream by its plan and returns the violation, if any. */
async function follow(stream: StreamSocket, { chunks, echo, slow, fate }: Plan): Promise<string | undefined> {
  const received: Buffer[] = []
  const closed = new Promise<void>((resolve) => stream.once('close', resolve))
  const read = (async () => {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      received.push(chunk)
      if (slow) await turn()
    }
  })().catch(() => 'reset')
  const sent = Buffer.concat(chunks.map((bytes) => pattern(stream.id, bytes)))
  stream.write(Buffer.from([echo ? 1 : 0, fate === 'peer-destroys' ? 1 : 0]))
  for (const bytes of chunks) {
    if (stream.destroyed) break
    if (!stream.write(pattern(stream.id, bytes))) await turn()
  }
  if (fate === 'destroy') stream.destroy(new Error('enough'))
  else if (!stream.destroyed) stream.end()
  const outcome = await read
  await closed

  const got = Buffer.concat(received)
  const expected = echo ? sent : Buffer.alloc(0)
  if (fate === 'end' && outcome !== 'reset' && digest(got) !== digest(expected))
    return `stream ${stream.id}: got ${got.length} of ${expected.length} bytes`
  if (fate === 'end' && outcome === 'reset') return `stream ${stream.id} was reset for no reason`
  if (digest(got) !== digest(expected.subarray(0, got.length))) return `stream ${stream.id}: bytes out of order`
  return undefined
}

/** The daemon's end: the first two bytes say whether to echo and whether to break off. */
function answer(stream: StreamSocket): void {
  const orders: number[] = []
  stream.on('data', (chunk: Buffer) => {
    let rest = chunk
    while (orders.length < 2 && rest.length > 0) {
      orders.push(rest[0]!)
      rest = rest.subarray(1)
    }
    if (orders[1] === 1) return void stream.destroy(new Error('no more'))
    if (orders[0] === 1 && rest.length > 0 && !stream.write(rest)) {
      stream.pause()
      stream.once('drain', () => stream.resume())
    }
  })
  stream.on('end', () => stream.end())
}

describe('the multiplexer', () => {
  it('delivers every byte once and in order, or resets the stream, whatever the windows and the order of things', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.integer({ min: 1, max: 70_000 }), async (given, initialWindow) => {
        const { relay, daemon, ends } = tunnelPair({ initialWindow }, answer)
        const wrong = await Promise.all(given.map((plan) => follow(relay.openSocket(), plan)))
        await turn()
        await turn()
        await turn()
        expect(wrong.filter(Boolean)).toEqual([])
        expect(ends).toEqual([])
        expect([relay.streamCount, daemon.streamCount]).toEqual([0, 0])
        relay.close(1000, 'over')
      }),
      { numRuns: 150 },
    )
  })

  it('carries 10,000 streams at once', async () => {
    const { relay, daemon } = tunnelPair({}, (stream) => void stream.pipe(stream))
    const answers = await Promise.all(
      Array.from({ length: 10_000 }, async () => {
        const stream = relay.openSocket()
        stream.end(`stream ${stream.id}`)
        let text = ''
        for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString()
        return text === `stream ${stream.id}`
      }),
    )
    expect(answers.every(Boolean)).toBe(true)
    expect([relay.streamCount, daemon.streamCount]).toEqual([0, 0])
    relay.close(1000, 'over')
  })

  it('holds no more of a stalled stream than its window and one buffer', async () => {
    const { relay, daemon, left } = tunnelPair({}, () => {})
    const stream = relay.openSocket()
    let accepted = 0
    const more = () => {
      while (stream.write(Buffer.alloc(16_384))) accepted += 16_384
    }
    stream.on('drain', more)
    more()
    for (let i = 0; i < 50; i += 1) await turn()
    // The window at the reader, what the reader's side buffers unread, and the writer's own buffer.
    expect(accepted).toBeLessThanOrEqual(64 * 1024 * 3)
    expect(left.sentMessages.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(64 * 1024 * 3)
    expect(daemon.streamCount).toBe(1)
    relay.close(1000, 'over')
  })

  it('holds no more than one message and the flight of a peer that does not read', async () => {
    const { relay, left } = tunnelPair({ initialWindow: 1_000_000 }, () => {})
    left.stalled = true
    for (let i = 0; i < 200; i += 1) relay.openSocket().write(Buffer.alloc(100_000))
    for (let i = 0; i < 50; i += 1) await turn()
    expect(left.sentMessages.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(600_000)
    relay.close(1000, 'over')
  })

  it('serves other streams while many readers are stalled', async () => {
    const { relay } = tunnelPair({}, (stream) => {
      stream.once('data', (order: Buffer) => {
        if (order[0] === 1) stream.write(Buffer.alloc(5_000_000))
        else stream.end('quick')
      })
    })
    for (let i = 0; i < 100; i += 1) {
      const stalled = relay.openSocket()
      stalled.pause()
      stalled.write(Buffer.from([1]))
    }
    // If they waited for the stalled ones, they would wait for ever.
    for (let i = 0; i < 50; i += 1) {
      const quick = relay.openSocket()
      quick.write(Buffer.from([0]))
      const [chunk] = await Array.fromAsync(quick as AsyncIterable<Buffer>)
      expect(chunk?.toString()).toBe('quick')
      quick.destroy()
    }
    relay.close(1000, 'over')
  })

  it('grows the window of a reader that keeps up, within the budget of the tunnel', async () => {
    const { relay } = tunnelPair({ initialWindow: 16_384 }, (stream) => {
      stream.on('data', () => {})
      stream.write(Buffer.alloc(8_000_000))
    })
    const streams = Array.from({ length: 4 }, () => relay.openSocket())
    for (const stream of streams) stream.write('go')
    const counts = await Promise.all(
      streams.map(
        (stream) =>
          new Promise<number>((resolve) => {
            let bytes = 0
            stream.on('data', (chunk: Buffer) => {
              bytes += chunk.length
              if (bytes === 8_000_000) resolve(bytes)
            })
          }),
      ),
    )
    expect(counts).toEqual([8_000_000, 8_000_000, 8_000_000, 8_000_000])
    relay.close(1000, 'over')
  })

  it('survives any bytes from the peer: it goes on, or closes with 1002', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.uint8Array({ maxLength: 64 }), frames()), { maxLength: 20 }),
        async (messages) => {
          const { relay, right, ends } = tunnelPair({}, () => {})
          const stream = relay.openSocket()
          stream.resume()
          for (const message of messages) right.send(message, () => {})
          for (let i = 0; i < 4; i += 1) await turn()
          expect(relay.closed).toBe(ends.length > 0)
          relay.close(1000, 'over')
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('frames', () => {
  const frame = fc.record<Frame>({
    type: fc.integer({ min: 0, max: 255 }),
    stream: fc.integer({ min: 0, max: 0xffffffff }),
    payload: fc.uint8Array({ maxLength: 300 }),
  })

  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 20 }), (given) => {
        const read: Frame[] = []
        decodeFrames(encodeFrames(given), (type, stream, payload) => {
          read.push({ type, stream, payload: Uint8Array.from(payload) })
        })
        expect(read).toEqual(given)
      }),
    )
  })
})

function frames() {
  const frame = fc.record<Frame>({
    type: fc.integer({ min: 0, max: 12 }),
    stream: fc.integer({ min: 0, max: 3 }),
    payload: fc.oneof(fc.uint8Array({ maxLength: 12 }), fc.constant(Buffer.from('{"reason":"draining"}'))),
  })
  return fc.array(frame, { maxLength: 6 }).map(encodeFrames)
}
