import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLoopTime } from './loop-time.ts'

/** A disk with a clock that each step advances. */
function slowDisk() {
  let now = 0
  const time = createLoopTime({ monotonic: () => now })
  return { time, step: (ms: number) => time.spend(() => (now += ms)), wait: (ms: number) => (now += ms) }
}

test('steps of one turn of the event loop take a few milliseconds, and the next turn begins anew', async () => {
  const { time, step } = slowDisk()
  for (let made = 0; made < 9; made++) step(1)
  expect(time.isLeft()).toBe(true)
  step(1)
  expect(time.isLeft()).toBe(false)
  await setImmediate()
  expect(time.isLeft()).toBe(true)
})

test('after a slow step the disk is left alone for many times as long', async () => {
  const { time, step, wait } = slowDisk()
  step(50)
  await setImmediate()
  wait(9999)
  expect(time.isLeft()).toBe(false)
  wait(1)
  expect(time.isLeft()).toBe(true)
})

test('a step that fails counts like one that does not', () => {
  const { time, step } = slowDisk()
  const failing = () =>
    time.spend(() => {
      step(50)
      throw new Error('no room')
    })
  expect(failing).toThrow('no room')
  expect(time.isLeft()).toBe(false)
})
