import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'

const program = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
const expected = fileURLToPath(new URL('../mcp-expected-failures.yaml', import.meta.url))

let daemon: Svcd
beforeAll(async () => void (daemon = await startSvcd()))
afterAll(() => daemon.remove())

/** Scenarios whose whole output is a pass, per version: an empty or cut run must not count as one. */
const passed: [string, string[]][] = [
  ['2025-06-18', ['server-initialize', 'server-session-lifecycle', 'resources-subscribe', 'completion-complete']],
  ['2025-11-25', ['server-initialize', 'server-sse-multiple-streams', 'dns-rebinding-protection', 'tools-list']],
  ['2026-07-28', ['http-header-validation', 'caching', 'sep-2164-resource-not-found', 'dns-rebinding-protection']],
]

test.concurrent.each(passed)('conforms to %s but for the listed fixtures', async (version, scenarios) => {
  verifies('mcp.protocol-versions')
  const args = [program, 'server', '--url', `${daemon.url}/mcp`, '--suite', 'all', '--spec-version', version]
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--expected-failures', expected], {
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout?: string; message: string }) => ({ stdout: `${error.stdout}\n${error.message}` }))
  expect(stdout.slice(-2000)).not.toMatch(/Unexpected failures|Stale|Command failed/i)
  for (const scenario of scenarios) expect(stdout).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
})
