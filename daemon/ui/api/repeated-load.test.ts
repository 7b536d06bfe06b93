import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Refusal } from './refusal.ts'
import { repeatedLoad, type Outcome } from './repeated-load.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Loads that take a while each; the value of a load is its number. */
function loads({ ms = 1000, refused = [] as Refusal[] } = {}) {
  const signals: AbortSignal[] = []
  const outcomes: Outcome<number>[] = []
  const repeated = repeatedLoad<number>({
    async load(signal) {
      const nth = signals.push(signal)
      await new Promise((resolve) => setTimeout(resolve, ms))
      const refusal = refused.shift()
      if (refusal) throw refusal
      return nth
    },
    ended: (outcome) => void outcomes.push(outcome),
  })
  const values = () => outcomes.map((outcome) => (outcome.state === 'ready' ? outcome.value : outcome.refusal.code))
  return { ...repeated, signals, outcomes, values }
}

test('a load that is slower than the reloads produces its value, and the last change is loaded', async () => {
  const { reload, values } = loads()
  for (let nth = 0; nth < 20; nth++) {
    reload()
    await vi.advanceTimersByTimeAsync(150)
  }
  expect(values()).toEqual([1, 2, 3])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(values()).toEqual([1, 2, 3, 4])
})

test('a load that was stopped is aborted and shows nothing', async () => {
  const { stop, signals, outcomes } = loads()
  stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect([signals.map(({ aborted }) => aborted), outcomes]).toEqual([[true], []])
})

test('a load whose response does not come is given up at a reload', async () => {
  const { reload, signals, values } = loads({ ms: 600_000 })
  await vi.advanceTimersByTimeAsync(70_000)
  reload()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  await vi.advanceTimersByTimeAsync(600_000)
  expect(values()).toEqual([2])
})

test('a temporary failure is retried by itself, and at once on a reload', async () => {
  const away = new Refusal({ code: 'daemon_offline', message: 'away' })
  const { reload, values, outcomes } = loads({ ms: 0, refused: [away, away] })
  await vi.advanceTimersByTimeAsync(0)
  expect(outcomes[0]).toMatchObject({ state: 'refused', retryInSeconds: expect.any(Number) as number })
  reload()
  await vi.advanceTimersByTimeAsync(0)
  expect(values()).toEqual(['daemon_offline', 'daemon_offline'])
  await vi.advanceTimersByTimeAsync(600_000)
  expect(values()).toEqual(['daemon_offline', 'daemon_offline', 3])
})
