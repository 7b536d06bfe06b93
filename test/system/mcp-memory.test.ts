import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { bytesOfIdleSession, growthOfDaemon } from '../support/mcp-memory.ts'

test('an idle session takes at most 40 KB', { timeout: 120_000 }, async () => {
  verifies('mcp.memory')
  expect(await bytesOfIdleSession()).toBeLessThan(40 * 1024)
})

test('calls and sessions leave nothing behind', { timeout: 120_000 }, async () => {
  verifies('mcp.memory')
  // A leak of one session in ten, or of a kilobyte a call, would show.
  expect(await growthOfDaemon({ calls: 1_200, sessions: 300 })).toBeLessThan(1024 * 1024)
})
