import { expect, test } from 'vitest'
import { patienceFor } from './patience.ts'

const quiet = { phase: 'ready', inFlight: false, isKeptAlive: true, isBack: false } as const

test('what is answered must be answered soon, signs of life must not stop, and nothing else is expected', () => {
  expect(patienceFor({ ...quiet, phase: 'offline' })).toBe(45_000)
  expect(patienceFor({ ...quiet, phase: 'text' })).toBe(45_000)
  expect(patienceFor({ ...quiet, inFlight: true })).toBe(20_000)
  expect(patienceFor(quiet)).toBe(75_000)
  expect(patienceFor({ ...quiet, isBack: true })).toBe(35_000)
  expect(patienceFor({ ...quiet, isKeptAlive: false })).toBe(Infinity)
  expect(patienceFor({ ...quiet, phase: 'refused', inFlight: true })).toBe(Infinity)
})
