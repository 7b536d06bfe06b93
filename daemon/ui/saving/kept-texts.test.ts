import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keptTexts } from './kept-texts.ts'
import { tabLocks } from './tab-lock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a note opens in a browser whose database never answers, and nothing is said to be stored', async () => {
  const kept = keptTexts({ owner: 'me', locks: tabLocks(undefined), open: () => new Promise(() => {}) })
  const ref = { vaultId: 'v', path: 'n.md' }
  const found = kept.takeOver(ref)
  await vi.advanceTimersByTimeAsync(5000)
  expect(await found).toBeUndefined()

  // The database counts as hung now, so later calls do not wait for it.
  const lease = await kept.leaseOf(ref)
  expect(lease.client).toMatch(/^[0-9a-f]{32}$/)
  const unsent = { clientId: 'c', epoch: '', version: 0, acked: 0, confirmed: '', pending: [] }
  expect(await lease.keep('n.md', unsent)).toBe(false)
  expect(await kept.paths('v')).toEqual([])
})
