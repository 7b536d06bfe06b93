import { expect, test } from 'vitest'
import { expectNoFindings, sendGeneratedRequests } from '../support/generated-requests.ts'

test('20,000 requests made from the OpenAPI document: no 500, none slow, nothing of another organization', async () => {
  const run = await sendGeneratedRequests({ requests: 20_000, seed: 2_030 })
  console.log(`generated requests: ${run.sent}, by status ${JSON.stringify(run.statuses)}`)
  console.log(`routes that succeeded at least once: ${run.succeeded.length}`)
  expectNoFindings(run)
  expect(run.sent).toBe(20_000)
}, 3_600_000)
