import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { expectNoFindings, sendGeneratedRequests } from '../support/generated-requests.ts'

// Requests normally take milliseconds. Even a busy machine stays far below this limit, but a combinatorial explosion
// exceeds it.
const SLOWEST_MS = 20_000

test('requests made from the OpenAPI document: no 500, none slow, nothing of another organization', async () => {
  verifies('cp.generated-requests')
  const run = await sendGeneratedRequests({ requests: 500, seed: 11, slowestMs: SLOWEST_MS })
  expectNoFindings(run)
  expect(run.sent).toBe(500)
  expect(run.succeeded.length).toBeGreaterThan(15)
})
