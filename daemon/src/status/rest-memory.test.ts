import { expect, test } from 'vitest'
import { createRestMemory } from './rest-memory.ts'

test('memory is given back once after each busy time, when it has been quiet and nobody has asked for a while', () => {
  let now = 0
  let cpu = 0
  let askedAt = 0
  const givenBackAt: number[] = []
  const memory = createRestMemory({
    cpuMs: () => cpu,
    idleMs: () => now - askedAt,
    giveBack: () => givenBackAt.push(now),
    clock: { monotonic: () => now } as never,
    timing: { lookMs: 2 ** 30, restMs: 6000 },
  })
  const pass = (seconds: number, busy: number) => {
    for (let second = 0; second < seconds; second++) {
      now += 1000
      cpu += busy
      memory.look()
    }
  }
  pass(10, 500)
  expect(givenBackAt).toEqual([])
  pass(20, 5)
  expect(givenBackAt).toEqual([16_000])
  pass(1, 100)
  pass(20, 5)
  expect(givenBackAt).toEqual([16_000, 37_000])

  pass(1, 100)
  for (let round = 0; round < 10; round++) {
    askedAt = now
    pass(4, 5)
  }
  expect(givenBackAt).toHaveLength(2)
  pass(10, 5)
  expect(givenBackAt).toEqual([16_000, 37_000, askedAt + 6000])
  memory.stop()
})
