import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { flushAsOf } from './flush-as-of.ts'

test('everything is durable as of the moment when the flush began, however long it takes', async () => {
  verifies('flush.result')
  let now = new Date('2026-01-01T00:00:00Z')
  const flush = async () => {
    now = new Date('2026-01-01T00:00:05Z')
    return 3
  }
  expect(await flushAsOf({ now: () => now }, flush)).toEqual({ flushed: 3, durableAsOf: '2026-01-01T00:00:00.000Z' })
})
