import { expect, test } from 'vitest'
import { fuzzAgent } from '../support/fuzz-agent.ts'
import { fuzzEndpoints } from '../support/fuzz-endpoints.ts'

test('20,000 hostile tool calls: no bug, and nothing outside the vault changes', async () => {
  const { done } = await fuzzAgent({ calls: 20_000, seed: 42 })
  console.log(`agent fuzz: 20000 calls, ${done} of them done`)
  expect(done).toBeGreaterThan(2000)
}, 3_600_000)

test('20,000 hostile messages at each endpoint, and every hostile path at both: no bug', async () => {
  const { platform, daemon, paths } = await fuzzEndpoints({ calls: 20_000, seed: 43, everyPath: 1 })
  console.log(`endpoint fuzz: ${JSON.stringify({ platform, daemon, paths })}`)
  expect(platform.calls + daemon.calls).toBe(40_000)
  expect(paths).toBeGreaterThan(5_000)
}, 3_600_000)
