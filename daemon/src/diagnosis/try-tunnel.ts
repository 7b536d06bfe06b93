import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { decodeFrames, encodeFrames, frameTypes, readJson, TUNNEL, type Frame } from '@svc/shared/mux/frame.ts'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { RelayHello, TUNNEL_SUBPROTOCOL } from '@svc/shared/wire/tunnel-hello.ts'
import { WebSocket } from 'ws'
import { parseJson } from './ask-service.ts'
import { Blocked, type CauseCode } from './causes.ts'
import { stepWithin } from './open-line.ts'

/** An unknown frame type: the relay ignores it. */
const UNKNOWN_FRAME = 0x7f
const SIZES = [1_024, 16_384, 65_536, 262_144]
const ROOM = 64

type Options = { url: URL; line: Socket; token: Secret; clock: Pick<Clock, 'monotonic'>; waitMs: number }

/** A WebSocket to the relay that closes before it becomes a tunnel. */
export type TriedTunnel = { hello: RelayHello; roundTripMs: number; tryFrames(): Promise<number>; close(): void }

/** Opens the WebSocket with the daemon key and waits for the relay's hello; the relay registers nothing. */
export async function tryTunnel({ url, line, token, clock, waitMs }: Options): Promise<TriedTunnel> {
  const address = new URL(url)
  address.protocol = 'ws:' // TLS, if any, is already part of the line
  const socket = new WebSocket(address, [TUNNEL_SUBPROTOCOL], {
    createConnection: () => line,
    headers: { authorization: `Bearer ${token.reveal()}`, host: url.host },
    followRedirects: false,
    perMessageDeflate: false,
  })
  const waiting = new Map<number, (payload: Buffer) => void>()
  let over: (cause: string) => void = () => {}
  const receive = (data: Buffer) => {
    try {
      decodeFrames(data, (type, _stream, payload) => waiting.get(type)?.(payload))
    } catch (error) {
      over((error as Error).message)
    }
  }
  const next = (type: number, cause: CauseCode): Promise<Buffer> => {
    const come = new Promise<Buffer>((resolve, reject) => {
      waiting.set(type, resolve)
      over = (why) => reject(new Blocked(cause, why))
    })
    return stepWithin(come, cause, waitMs)
  }
  const hello = next(frameTypes.hello, 'websocket_stalled')
  hello.catch(() => {})
  socket.on('message', receive)
  socket.on('close', (code, reason) => over(`closed with ${code} ${reason.toString('utf8')}`.trim()))
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.on('error', (error) =>
      reject(new Blocked(altered(error) ? 'websocket_altered' : 'websocket_blocked', error.message)),
    )
    socket.once('unexpected-response', (_request, answer) => {
      text(answer.on('error', () => {}))
        .catch(() => '')
        .then((body) => reject(refusal(answer.statusCode ?? 0, body)))
        .finally(() => socket.terminate())
    })
  })

  try {
    await stepWithin(opened, 'websocket_blocked')
    const greeting = RelayHello.parse(readJson(await hello))
    const send = (...frames: Frame[]) => socket.send(encodeFrames(frames))
    const ping = async (size: number): Promise<void> => {
      const pong = next(frameTypes.pong, 'frame_limit')
      const filling = Buffer.alloc(Math.max(0, Math.min(size, greeting.maxFrameBytes) - ROOM))
      send({ type: UNKNOWN_FRAME as Frame['type'], stream: TUNNEL, payload: filling })
      send({ type: frameTypes.ping, stream: TUNNEL, payload: Buffer.alloc(8) })
      await pong.catch((error: unknown) => {
        throw new Blocked('frame_limit', `${size} bytes: ${error instanceof Blocked ? error.details : String(error)}`)
      })
    }
    const startedAt = clock.monotonic()
    await ping(0)
    return {
      hello: greeting,
      roundTripMs: clock.monotonic() - startedAt,
      tryFrames: async () => {
        for (const size of SIZES) await ping(size)
        return SIZES.at(-1) ?? 0
      },
      close: () => socket.terminate(),
    }
  } catch (error) {
    socket.terminate()
    if (error instanceof Blocked) throw error
    throw new Blocked('websocket_altered', (error as Error).message)
  }
}

const altered = ({ message }: Error): boolean => /subprotocol|Sec-WebSocket/i.test(message)

/**
 * Only a response of the service itself says something about the key; proxies use the same status for their own
 * reasons.
 */
function refusal(status: number, body: string): Blocked {
  const details = `status ${status}`
  const failure = readErrorBody(parseJson(body))
  const lost = (failure?.details as { reason?: string } | undefined)?.reason === 'not_a_websocket'
  if (failure === undefined || lost)
    return new Blocked('websocket_blocked', lost ? 'the upgrade is taken out' : details)
  if (failure.code === 'unauthenticated') return new Blocked('key_refused', details)
  if (failure.code === 'too_many_requests') return new Blocked('too_many_requests', details)
  if (failure.status === 503) return new Blocked('relay_overloaded', details)
  return new Blocked('websocket_blocked', `${details} ${failure.code}`)
}
