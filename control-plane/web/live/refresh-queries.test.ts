import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createQueryClient } from '../app/query-client.ts'
import { refreshQueries } from './refresh-queries.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const queryKey = ['fleet']

/** A query that is on the screen, and whose reads take a while each; the value of a read is its number. */
function slowQuery({ ms = 1000 } = {}) {
  const client = createQueryClient()
  const signals: AbortSignal[] = []
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: async ({ signal }) => {
      const nth = signals.push(signal)
      await new Promise((resolve) => setTimeout(resolve, ms))
      return nth
    },
  })
  const values = new Set<number>()
  onTestFinished(observer.subscribe(({ data }) => void (data !== undefined && values.add(data))))
  return { refresh: refreshQueries(client), signals, values }
}

test('a read that is slower than the changes are apart ends, and the last change is read', async () => {
  const { refresh, values } = slowQuery()
  await vi.advanceTimersByTimeAsync(1500)
  for (let nth = 0; nth < 20; nth++) {
    void refresh(queryKey)
    await vi.advanceTimersByTimeAsync(150)
  }
  expect([...values]).toEqual([1, 2, 3, 4])
  await vi.advanceTimersByTimeAsync(10_000)
  expect([...values]).toEqual([1, 2, 3, 4, 5])
})

test('a change during the first read is read too', async () => {
  const { refresh, values } = slowQuery()
  await vi.advanceTimersByTimeAsync(500)
  await Promise.all([refresh(queryKey), vi.advanceTimersByTimeAsync(5000)])
  expect([...values]).toEqual([1, 2])
})

test('a read whose response does not come is replaced at a change', async () => {
  const { refresh, signals } = slowQuery({ ms: 100_000 })
  await vi.advanceTimersByTimeAsync(100_000)
  void refresh(queryKey)
  await vi.advanceTimersByTimeAsync(70_000)
  void refresh(queryKey)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, false])
  await vi.advanceTimersByTimeAsync(200_000)
})
