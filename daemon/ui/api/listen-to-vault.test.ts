import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchVault } from './listen-to-vault.ts'

const streams: Stream[] = []

/** A stream of events on a network that may go away without a word. */
class Stream extends EventTarget {
  static readonly CLOSED = 2
  readyState = 1

  constructor() {
    super()
    streams.push(this)
  }

  close() {
    this.readyState = Stream.CLOSED
  }

  says(...kinds: string[]) {
    for (const kind of kinds) this.dispatchEvent(new Event(kind))
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', Stream)
  streams.length = 0
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function watched() {
  const page = Object.assign(new EventTarget(), { hidden: false, defaultView: null }) as unknown as Document
  const changed = vi.fn<() => void>()
  const stop = watchVault({ url: '/events', page, changed, awake: () => {}, asleep: () => {} })
  return { changed, stop }
}

test('a stream that falls silent is opened again until one answers, and what changed meanwhile is read', () => {
  const { changed, stop } = watched()
  streams[0]!.says('open', 'alive')
  vi.advanceTimersByTime(30_000)
  streams[0]!.says('alive')
  vi.advanceTimersByTime(35_000)
  expect(streams).toHaveLength(1)
  expect(changed).not.toHaveBeenCalled()
  vi.advanceTimersByTime(10_000)
  expect(streams.map(({ readyState }) => readyState)).toEqual([2, 1])
  expect(changed).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(45_000)
  expect(streams).toHaveLength(3)
  streams[2]!.says('open', 'alive')
  stop()
  vi.advanceTimersByTime(120_000)
  expect(streams).toHaveLength(3)
})

test('a stream of a host that gives no signs of life is left alone', () => {
  const { stop } = watched()
  streams[0]!.says('open', 'change')
  vi.advanceTimersByTime(3_600_000)
  expect(streams).toHaveLength(1)
  stop()
})
