import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchVault } from './listen-to-vault.ts'

const streams: Stream[] = []

/** An event stream over a network that can disappear without closing the connection. */
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
  const [changed, awake, asleep] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()]
  const begun = vi.fn<(lastEventId: string) => void>()
  const stop = watchVault({ url: '/events', page, changed, begun, awake, asleep })
  return { page, changed, begun, awake, asleep, stop }
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

test('the id at which a stream begins is told', () => {
  const { begun, changed, stop } = watched()
  const hello = Object.assign(new Event('hello'), { lastEventId: 'a-7' })
  streams[0]!.dispatchEvent(hello)
  expect(begun.mock.calls).toEqual([['a-7']])
  expect(changed).not.toHaveBeenCalled()
  stop()
})

test('a stream of a host that gives no signs of life is left alone', () => {
  const { stop } = watched()
  streams[0]!.says('open', 'change')
  vi.advanceTimersByTime(3_600_000)
  expect(streams).toHaveLength(1)
  stop()
})

test('a stream that opens only to say that the host sleeps wakes nothing', () => {
  const { changed, awake, asleep, stop } = watched()
  streams[0]!.says('open', 'alive')
  expect(awake).toHaveBeenCalledTimes(1)
  // The host stopped right after this change.
  streams[0]!.says('change', 'error', 'open', 'sleep')
  for (let count = 0; count < 10; count++) {
    vi.advanceTimersByTime(30_000)
    streams.at(-1)!.says('open', 'sleep')
  }
  expect([changed, awake, asleep].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 1])

  // Somebody else woke it.
  vi.advanceTimersByTime(30_000)
  streams.at(-1)!.says('open', 'alive')
  vi.advanceTimersByTime(1000)
  expect([changed, awake, asleep].map(({ mock }) => mock.calls.length)).toEqual([1, 2, 1])
  stop()
})

test('a person who acts wakes the host, and the stream is asked until it does', () => {
  const { page, changed, awake, asleep, stop } = watched()
  streams[0]!.says('open', 'alive', 'error', 'open', 'sleep')
  page.dispatchEvent(new Event('keydown'))
  expect(awake).toHaveBeenCalledTimes(2)
  streams[1]!.says('open', 'sleep')
  vi.advanceTimersByTime(3000)
  expect(changed).toHaveBeenCalledTimes(1)
  streams[2]!.says('open', 'alive')
  expect([awake, asleep].map(({ mock }) => mock.calls.length)).toEqual([3, 1])

  streams[2]!.says('error', 'open', 'sleep')
  expect(asleep).toHaveBeenCalledTimes(2)
  stop()
  vi.advanceTimersByTime(3_600_000)
  expect(streams).toHaveLength(3)
})

test('a host that does not wake when it is asked to counts as asleep again', () => {
  const { page, asleep, stop } = watched()
  streams[0]!.says('open', 'sleep')
  page.dispatchEvent(new Event('pointerdown'))
  for (let count = 0; count < 40 && asleep.mock.calls.length < 2; count++) {
    streams.at(-1)!.says('open', 'sleep')
    vi.advanceTimersByTime(2000)
  }
  expect(asleep).toHaveBeenCalledTimes(2)
  stop()
})
