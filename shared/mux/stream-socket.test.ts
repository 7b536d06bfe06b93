import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ReceiveWindow } from './receive-window.ts'
import { StreamSocket } from './stream-socket.ts'
import { TunnelStream } from './tunnel-stream.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function openSocket() {
  const port = {
    outbox: { send: () => {}, ready: () => {} },
    closed: () => {},
    pace: () => ({ now: 0, roundTripMs: 1, maxBytes: 1024 }),
  }
  const window = new ReceiveWindow({ initial: 1024, budget: { left: 0 } })
  const stream = new TunnelStream({ id: 1, port, credit: 1024, window })
  const socket = new StreamSocket(stream)
  const timeout = vi.fn<() => void>()
  socket.on('timeout', timeout)
  return { stream, socket, timeout }
}

it('tells of a timeout after that long without a byte', () => {
  const { stream, socket, timeout } = openSocket()
  socket.setTimeout(1_000)
  vi.advanceTimersByTime(900)
  stream.receiveData(Buffer.from('a'))
  vi.advanceTimersByTime(900)
  expect(timeout).not.toHaveBeenCalled()
  vi.advanceTimersByTime(100)
  expect(timeout).toHaveBeenCalledOnce()
})

it('tells of none while it is off, and counts anew once it is on again', () => {
  const { socket, timeout } = openSocket()
  socket.setTimeout(1_000)
  socket.setTimeout(0)
  vi.advanceTimersByTime(5_000)
  expect(timeout).not.toHaveBeenCalled()

  socket.setTimeout(1_000)
  vi.advanceTimersByTime(999)
  expect(timeout).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(timeout).toHaveBeenCalledOnce()
})

it('takes another time, and leaves no timer behind', () => {
  const { socket, timeout } = openSocket()
  socket.setTimeout(1_000)
  socket.setTimeout(3_000)
  vi.advanceTimersByTime(2_999)
  expect(timeout).not.toHaveBeenCalled()
  socket.destroy()
  expect(vi.getTimerCount()).toBe(0)
})
