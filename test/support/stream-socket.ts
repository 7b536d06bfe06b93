import { ReceiveWindow } from '../../shared/mux/receive-window.ts'
import { StreamSocket } from '../../shared/mux/stream-socket.ts'
import { TunnelStream } from '../../shared/mux/tunnel-stream.ts'

/** A socket over a stream of no tunnel: a test is the peer. `consumed` counts the bytes that gave credit back. */
export function openStreamSocket(credit: number) {
  const port = {
    outbox: { send: () => {}, ready: () => {} },
    closed: () => {},
    pace: () => ({ now: 0, roundTripMs: 1, maxBytes: credit }),
  }
  const window = new ReceiveWindow({ initial: credit, budget: { left: 0 } })
  const stream = new TunnelStream({ id: 1, port, credit, window })
  let consumed = 0
  const give = stream.consumed.bind(stream)
  stream.consumed = (bytes) => {
    consumed += bytes
    give(bytes)
  }
  return { stream, socket: new StreamSocket(stream), consumed: () => consumed }
}
