import { EventEmitter } from 'node:events'
import type { TunnelSocket } from '@svc/shared/mux/tunnel.ts'

/** One end of a WebSocket in memory: messages arrive in order, in a later turn of the event loop. */
class MemorySocket extends EventEmitter implements TunnelSocket {
  peer: MemorySocket | undefined
  /** While true, messages wait, as with a peer that does not read. */
  stalled = false
  readonly sentMessages: number[] = []
  #queue: { message: Buffer; sent: () => void }[] = []
  #moving = false
  #closed = false

  send(message: Uint8Array, sent: (error?: Error) => void): void {
    this.sentMessages.push(message.length)
    this.#queue.push({ message: Buffer.from(message), sent })
    this.#move()
  }

  close(code: number, reason: string): void {
    if (this.#closed) return
    this.#closed = true
    setImmediate(() => this.peer?.remoteClosed(code, reason))
  }

  terminate(): void {
    this.close(1006, '')
  }

  resume(): void {
    this.stalled = false
    this.#move()
  }

  remoteClosed(code: number, reason: string): void {
    this.#closed = true
    this.emit('close', code, Buffer.from(reason))
  }

  #move(): void {
    if (this.#moving || this.stalled) return
    this.#moving = true
    setImmediate(() => {
      this.#moving = false
      const batch = this.stalled ? [] : this.#queue
      if (!this.stalled) this.#queue = []
      for (const { message, sent } of batch) {
        this.peer?.emit('message', message, true)
        sent()
      }
      if (this.#queue.length > 0) this.#move()
    })
  }
}

/** Both ends of a WebSocket in memory. */
export function socketPair(): [MemorySocket, MemorySocket] {
  const [left, right] = [new MemorySocket(), new MemorySocket()]
  left.peer = right
  right.peer = left
  return [left, right]
}
