import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { bytesOfIdleSession, growthOfDaemon } from '../support/mcp-memory.ts'

test('an idle session takes at most 40 KB', async () => {
  verifies('mcp.memory')
  expect(await bytesOfIdleSession()).toBeLessThan(40 * 1024)
})

test('calls and sessions leave nothing behind', async () => {
  verifies('mcp.memory')
  // A leak of one session in ten, or of a kilobyte per call, would exceed this.
  expect(await growthOfDaemon({ calls: 300, sessions: 80 })).toBeLessThan(1024 * 1024)
})
