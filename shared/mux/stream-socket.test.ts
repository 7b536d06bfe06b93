import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openStreamSocket } from '../../test/support/stream-socket.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function openSocket() {
  const { stream, socket } = openStreamSocket(1024)
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
