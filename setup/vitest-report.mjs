// Runs Vitest and reads the count that its reporter wrote.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectEnvironment, projectNode, root } from './ensure.mjs'

/** Runs a command with its output shown; returns its exit code, 1 if it could not be started or was killed. */
export function run(title, command, args, environment = {}) {
  console.log(`\n== ${title}`)
  const since = performance.now()
  const child = spawn(command, args, {
    cwd: root,
    env: { ...projectEnvironment, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message)
      resolve(1)
    })
    child.once('close', (code) => {
      console.log(
        `== ${title}: ${code === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - since) / 1000).toFixed(0)} s`,
      )
      resolve(code ?? 1)
    })
  })
}

/**
 * Runs the tests of one project, counts them and returns the text of each failure. A skipped test, or a run that ends
 * without a count, counts as failed.
 */
export async function runTests({ project, reporter = 'dot', filters = [], environment = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
  const report = join(folder, 'tally.json')
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    `--project=${project}*`, // unit is unit and unit-measured
    `--reporter=${reporter}`,
    '--reporter=./setup/tally-reporter.mjs',
    ...(process.stdout.isTTY ? [] : ['--no-color']), // also in CI, where Vitest would colour a file
    ...filters,
  ]
  const code = await run(`${project} tests`, projectNode, args, { ...environment, SVC_TEST_TALLY: report })
  const tally = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : { passed: 0, failed: 0, skipped: 0, failures: [] }
  rmSync(folder, { recursive: true, force: true })
  const { passed, skipped, failures } = tally
  if (skipped > 0) failures.push(`${skipped} tests of ${project} were skipped`)
  let failed = tally.failed + skipped
  if (failed === 0 && (code !== 0 || passed === 0)) {
    failed = 1
    failures.push(`the ${project} tests ended with ${code} and ${passed} passed tests: see their output above`)
  }
  return { passed, failed, failures }
}
