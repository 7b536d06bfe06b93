import { expect, it } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createWaitAges } from './wait-ages.ts'

it('pauses longer the longer a daemon waits for the same, and shortly again when anything has changed', () => {
  verifies('operator.dead-node-apart')
  let now = 0
  const ages = createWaitAges(() => now)
  const pause = (what: string | undefined) => ages.pauseOf('org-a', what, { pauseMs: 1_000, longestMs: 60_000 })
  const at = (ms: number, what: string | undefined) => {
    now = ms
    return pause(what)
  }
  expect(at(0, 'ready')).toBe(1_000)
  expect(at(9_000, 'ready')).toBe(1_000)
  expect(at(30_000, 'ready')).toBe(3_000)
  expect(at(300_000, 'ready')).toBe(30_000)
  expect(at(3_000_000, 'ready')).toBe(60_000)
  expect(at(3_000_000, 'tunnel')).toBe(1_000)
  expect(at(3_100_000, 'tunnel')).toBe(10_000)
  expect(at(3_100_000, undefined)).toBe(1_000)
  expect(at(3_100_000, 'tunnel')).toBe(1_000)
})
