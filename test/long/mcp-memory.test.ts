import { expect, test } from 'vitest'
import { bytesOfIdleSession, growthOfDaemon, growthOfPlatform } from '../support/mcp-memory.ts'

const MB = 1024 * 1024
const rounded = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`

test('100,000 calls in 10,000 sessions leave nothing behind at a daemon', { timeout: 3_600_000 }, async () => {
  const grown = await growthOfDaemon({ calls: 100_000, sessions: 10_000 })
  console.log(
    `daemon: ${rounded(grown)} more after 100,000 calls; an idle session takes ${rounded(await bytesOfIdleSession())}`,
  )
  expect(grown).toBeLessThan(4 * MB)
})

test('20,000 calls in 10,000 sessions leave nothing behind at the platform', { timeout: 3_600_000 }, async () => {
  const grown = await growthOfPlatform({ calls: 20_000, sessions: 10_000 })
  console.log(`platform: ${rounded(grown)} more after 20,000 calls`)
  expect(grown).toBeLessThan(16 * MB)
})
