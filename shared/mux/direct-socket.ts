import type { Duplex } from 'node:stream'
import type { TunnelSocket } from './tunnel.ts'

const FINAL_BINARY = 0x82
const MASKED = 0x80
const MASK_BYTES = 4
const OPEN = 1

/** The sending side. A client has to send a mask; ours is all zeros, so that the bytes stay as they are. */
type Side = 'server' | 'client_without_mask'

type Source = TunnelSocket & { readonly readyState: number }

/**
 * A WebSocket that writes messages straight to its connection: header and payload in one buffer and one write. `ws`
 * writes them separately, which is a third of the cost of a small message. `ws` still reads, and sends control frames.
 */
export function directSocket(socket: Source, connection: Duplex, side: Side): TunnelSocket {
  return new DirectSocket(socket, connection, side)
}

/** A class, because a replica holds thousands of them: their methods are shared. */
class DirectSocket implements TunnelSocket {
  readonly #socket: Source
  readonly #connection: Duplex
  readonly #side: Side

  constructor(socket: Source, connection: Duplex, side: Side) {
    this.#socket = socket
    this.#connection = connection
    this.#side = side
  }

  on(event: never, listener: never): unknown {
    return this.#socket.on(event, listener)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  lead(length: number): Uint8Array {
    return messageHeader(length, this.#side)
  }

  send(message: Uint8Array, sent: (error?: Error) => void): void {
    if (this.#socket.readyState === OPEN) this.#connection.write(message, (error) => sent(error ?? undefined))
    else process.nextTick(sent, new Error('the WebSocket is closing'))
  }
}

/** The header of a whole binary message of that many bytes (RFC 6455, 5.2). */
export function messageHeader(length: number, side: Side): Buffer {
  const sizeBytes = length < 126 ? 0 : length < 0x10000 ? 2 : 8
  const masked = side === 'server' ? 0 : MASKED
  const header = Buffer.alloc(2 + sizeBytes + (masked === 0 ? 0 : MASK_BYTES))
  header[0] = FINAL_BINARY
  header[1] = masked | (sizeBytes === 0 ? length : sizeBytes === 2 ? 126 : 127)
  if (sizeBytes === 2) header.writeUInt16BE(length, 2)
  else if (sizeBytes === 8) header.writeUIntBE(length, 4, 6)
  return header
}
