import { expect, test } from 'vitest'
import { expectNoFindings, sendGeneratedRequests } from '../support/generated-requests.ts'

const SLOWEST_MS = 2_000

test('20,000 requests made from the OpenAPI document: no 500, none slow, nothing of another organization', async () => {
  const run = await sendGeneratedRequests({ requests: 20_000, seed: 2_030, slowestMs: SLOWEST_MS })
  const times = run.times.toSorted((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(0)
  console.log(`generated requests: ${run.sent}, by status ${JSON.stringify(run.statuses)}`)
  console.log(`routes that succeeded at least once: ${run.succeeded.length}`)
  console.log(`ms, 8 in flight: p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, slowest ${at(1)}`)
  expectNoFindings(run)
  expect(run.sent).toBe(20_000)
}, 3_600_000)
