import { expect, test } from 'vitest'
import { fuzzAgent } from '../support/fuzz-agent.ts'

test('20,000 hostile tool calls: no bug, and nothing outside the vault changes', async () => {
  const { done } = await fuzzAgent({ calls: 20_000, seed: 42 })
  console.log(`agent fuzz: 20000 calls, ${done} of them done`)
  expect(done).toBeGreaterThan(2000)
}, 3_600_000)
