import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { startWorkDeadline } from './work-deadline.ts'

let usedMs: number
let passed: number
const thread = { cpuUsage: async () => ({ user: usedMs * 600, system: usedMs * 400 }) }
const start = (from: typeof thread = thread) =>
  startWorkDeadline({ thread: from, workMs: 10_000, onPassed: () => void (passed += 1) })
beforeEach(() => {
  vi.useFakeTimers()
  usedMs = 500
  passed = 0
})
afterEach(() => void vi.useRealTimers())

test('a thread that works all the time is at its deadline at once when it has used its time', async () => {
  verifies('untrusted.off-loop')
  start()
  usedMs += 9_990
  await vi.advanceTimersByTimeAsync(10_000)
  expect(passed).toBe(0)
  usedMs += 100
  await vi.advanceTimersByTimeAsync(100)
  expect(passed).toBe(1)
})

test('a thread that the machine does not let work is given more time, but not for ever', async () => {
  verifies('untrusted.off-loop')
  start()
  usedMs += 1_000
  await vi.advanceTimersByTimeAsync(59_900)
  expect(passed).toBe(0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(passed).toBe(1)
})

test.each([
  ['does not know its time', () => Promise.reject(new Error('ERR_WORKER_NOT_RUNNING')), 10_000],
  ['never says it', () => new Promise<never>(() => {}), 60_000],
])('a thread that %s has a deadline, too', async (_name, cpuUsage, afterMs) => {
  verifies('untrusted.off-loop')
  start({ cpuUsage })
  await vi.advanceTimersByTimeAsync(afterMs - 1)
  expect(passed).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(passed).toBe(1)
})

test('a deadline that is cancelled never passes', async () => {
  const cancel = start()
  usedMs += 20_000
  cancel()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(passed).toBe(0)
})
