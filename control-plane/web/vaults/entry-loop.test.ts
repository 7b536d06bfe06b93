import { expect, test } from 'vitest'
import { mayEnterUnasked } from './entry-loop.ts'

function visits() {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  return (vault: string, seconds: number) => mayEnterUnasked({ storage, vault, now: seconds * 1000 })
}

test('a vault that sends back at once is not entered again by itself', () => {
  const visit = visits()
  expect([visit('a b/c', 0), visit('a b/c', 1), visit('a b/c', 2)]).toEqual([true, false, false])
})

test('another vault, and the same one later, are entered', () => {
  const visit = visits()
  expect([visit('a', 0), visit('b', 1), visit('b', 20)]).toEqual([true, true, true])
})
