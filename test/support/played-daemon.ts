import { EventEmitter } from 'node:events'
import { systemClock } from '@svc/shared/kit/clock.ts'
import {
  decodeFrames,
  encodeFrames,
  frameTypes,
  resetCodes,
  resetFrame,
  windowFrame,
  type Frame,
} from '@svc/shared/mux/frame.ts'
import { Tunnel, type TunnelSocket } from '@svc/shared/mux/tunnel.ts'
import { DaemonPool } from '../../control-plane/src/tunnels/daemon-pool.ts'
import { relayLimits } from '../../control-plane/src/tunnels/tunnel-handshake.ts'

/** A WebSocket that keeps the messages of the relay. */
class PlayedSocket extends EventEmitter implements TunnelSocket {
  readonly messages: Buffer[] = []

  send(message: Uint8Array, sent: () => void): void {
    this.messages.push(Buffer.from(message))
    setImmediate(sent)
  }

  close(): void {}
  terminate(): void {}
}

/** The relay's end of a tunnel to a daemon that a test plays frame by frame. */
export function playDaemon() {
  const socket = new PlayedSocket()
  const tunnel = new Tunnel({
    socket,
    side: 'relay',
    limits: relayLimits,
    clock: systemClock,
    events: { closed: () => {} },
  })
  const emit = (frames: readonly Frame[]) => void socket.emit('message', encodeFrames(frames), true)
  const sentFrames = () => {
    const frames: { type: number; stream: number; payload: Buffer }[] = []
    for (const message of socket.messages)
      decodeFrames(message, (type, stream, payload) => void frames.push({ type, stream, payload }))
    return frames
  }

  return {
    tunnel,
    pool: new DaemonPool(tunnel),
    messages: socket.messages,
    /** Payloads of the data that the relay sent, one for each frame. */
    payloads: (): Buffer[] => sentFrames().flatMap(({ type, payload }) => (type === frameTypes.data ? [payload] : [])),
    /** Sends one message with a data frame for each piece. */
    send: (stream: number, pieces: readonly (Buffer | string)[]) =>
      emit(pieces.map((piece) => ({ type: frameTypes.data, stream, payload: Buffer.from(piece) }))),
    /** Gives credit to a stream. */
    grant: (stream: number, bytes: number) => emit([windowFrame(stream, bytes)]),
    end: (stream: number) => emit([{ type: frameTypes.end, stream, payload: Buffer.alloc(0) }]),
    /** Closes a stream without a failure. */
    reset: (stream: number) => emit([resetFrame(stream, resetCodes.closed)]),
    close: () => tunnel.close(1000, 'over'),
  }
}

export type PlayedDaemon = ReturnType<typeof playDaemon>

/** As many turns of the event loop as a message and its answer need. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
}
