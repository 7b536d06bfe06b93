import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { runConformance } from '../support/mcp-conformance.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'

let daemon: Svcd
beforeAll(async () => void (daemon = await startSvcd()))
afterAll(() => daemon.remove())

/** Scenarios that must pass, per version: an empty or cut run must not count as one. */
const scenarios: [string, string[]][] = [
  ['2025-06-18', ['server-initialize', 'server-session-lifecycle', 'resources-subscribe', 'completion-complete']],
  ['2025-11-25', ['server-initialize', 'server-sse-multiple-streams', 'dns-rebinding-protection', 'tools-list']],
  ['2026-07-28', ['http-header-validation', 'caching', 'sep-2164-resource-not-found', 'dns-rebinding-protection']],
]

test.each(scenarios)('conforms to %s but for the listed fixtures', async (version, wanted) => {
  verifies('mcp.protocol-versions')
  const expectedFailures = ['mcp-expected-failures.yaml']
  const { passed, failed, end } = await runConformance({ url: `${daemon.url}/mcp`, version, expectedFailures })
  expect(failed).toEqual([])
  expect(end).not.toMatch(/Stale/i)
  expect(passed, end).toEqual(expect.arrayContaining(wanted))
})
