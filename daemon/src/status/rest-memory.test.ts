import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { createRestMemory } from './rest-memory.ts'
import type { CompiledCode } from './return-memory.ts'

let now: number
let cpu: number
let askedAt: number
let bytes: number
beforeEach(() => {
  now = cpu = askedAt = bytes = 0
})

/** Looks once a second. `giveBack` has finished before the next look, though in a later turn of the event loop. */
function restingWith(giveBack: (code: CompiledCode) => Promise<void>) {
  const memory = createRestMemory({
    cpuMs: () => cpu,
    residentBytes: () => bytes,
    idleMs: () => now - askedAt,
    giveBack,
    clock: { monotonic: () => now } as never,
    timing: { lookMs: 2 ** 30, restMs: 6000, againMs: 30_000, slowlyMs: 60_000, forgetMs: 60_000 },
  })
  const pass = async (seconds: number, busy: number) => {
    for (let second = 0; second < seconds; second++) {
      now += 1000
      cpu += busy
      memory.look()
      await setImmediate()
      await setImmediate()
    }
  }
  return { pass, owe: memory.owe, stop: memory.stop }
}

test('memory is given back once after each busy time, when it has been quiet and nobody has asked for a while', async () => {
  const givenBackAt: number[] = []
  const { pass, stop } = restingWith(async () => void givenBackAt.push(now))
  await pass(10, 500)
  expect(givenBackAt).toEqual([])
  await pass(20, 5)
  expect(givenBackAt).toEqual([16_000])
  await pass(1, 100)
  await pass(20, 5)
  expect(givenBackAt).toEqual([16_000, 37_000])

  await pass(1, 100)
  for (let round = 0; round < 10; round++) {
    askedAt = now
    await pass(4, 5)
  }
  expect(givenBackAt).toHaveLength(2)
  await pass(10, 5)
  expect(givenBackAt).toEqual([16_000, 37_000, askedAt + 6000])
  stop()
})

test('giving back takes long itself, in several turns, and is not followed by another one for that', async () => {
  let times = 0
  const { pass, stop } = restingWith(async () => {
    times++
    cpu += 80
    await setImmediate()
    cpu += 200
  })
  await pass(10, 500)
  await pass(100, 5)
  expect(times).toBe(1)
  stop()
})

test('memory that grew without work of its own is returned once more, and what is in use not over and over', async () => {
  const givenBackAt: number[] = []
  let inUse = 80e6
  const { pass, stop } = restingWith(async () => {
    givenBackAt.push(now)
    bytes = inUse
  })
  bytes = 100e6
  await pass(10, 5)
  expect(givenBackAt).toEqual([6000])

  inUse = bytes = 105e6
  await pass(30, 5)
  expect(givenBackAt).toEqual([6000, 36_000])
  inUse = 85e6
  await pass(100, 5)
  expect(givenBackAt).toHaveLength(2)

  bytes = 115e6
  await pass(100, 5)
  expect(givenBackAt).toEqual([6000, 36_000, 141_000])
  expect(bytes).toBe(85e6)
  stop()
})

test('what an idle daemon leaves behind is returned, at most once a minute and only if it is worth a collection', async () => {
  const givenBackAt: number[] = []
  const { pass, stop } = restingWith(async () => {
    givenBackAt.push(now)
    bytes = 60e6
  })
  await pass(10, 5)
  expect(givenBackAt).toEqual([6000])

  bytes = 61e6
  await pass(600, 5)
  expect(givenBackAt).toEqual([6000])
  bytes = 62e6
  await pass(1, 5)
  expect(givenBackAt).toEqual([6000, 611_000])
  await pass(1, 5)
  bytes = 62e6
  await pass(300, 5)
  expect(givenBackAt).toEqual([6000, 611_000, 671_000])
  stop()
})

test('memory is returned after a child process has ended its work, without any work of its own', async () => {
  const givenBackAt: number[] = []
  const { pass, owe, stop } = restingWith(async () => void givenBackAt.push(now))
  await pass(20, 5)
  owe()
  await pass(3, 5)
  owe()
  await pass(40, 5)
  expect(givenBackAt).toEqual([6000, 29_000])
  stop()
})

test('compiled code is forgotten after a start that nobody waited for, and when nobody has asked for a minute', async () => {
  const givenBackAt: [number, CompiledCode][] = []
  const { pass, owe, stop } = restingWith(async (code) => void givenBackAt.push([now, code]))
  await pass(10, 5)
  expect(givenBackAt).toEqual([[6000, 'forgotten']])

  askedAt = now
  await pass(1, 100)
  await pass(100, 5)
  expect(givenBackAt.slice(1)).toEqual([
    [17_000, 'kept'],
    [70_000, 'forgotten'],
  ])

  owe()
  await pass(10, 5)
  expect(givenBackAt.slice(3)).toEqual([[117_000, 'forgotten']])
  stop()
})

test('compiled code is kept for a person who waited for the start', async () => {
  const codes: CompiledCode[] = []
  const { pass, stop } = restingWith(async (code) => void codes.push(code))
  await pass(1, 100)
  askedAt = now
  await pass(10, 5)
  expect(codes).toEqual(['kept'])
  stop()
})
