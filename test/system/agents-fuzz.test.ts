import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { fuzzEndpoints } from '../support/fuzz-endpoints.ts'

test('hostile messages and paths at both endpoints are refused without a bug', async () => {
  verifies('mcp.hostile-calls', 'agents.hostile-calls')
  const { platform, daemon } = await fuzzEndpoints({ calls: 160, seed: 11, everyPath: 40 })
  for (const { calls, done, rpcErrors } of [platform, daemon]) {
    expect(calls).toBe(160)
    expect(done).toBeGreaterThan(5)
    expect(rpcErrors).toBeGreaterThan(5)
  }
})
