import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { fuzzAgent } from '../support/fuzz-agent.ts'

test('hostile tool calls are refused, and nothing outside the vault changes', async () => {
  verifies('mcp.hostile-calls')
  const { done } = await fuzzAgent({ calls: 400, seed: 7 })
  expect(done).toBeGreaterThan(40)
})
