// Runs Vitest and counts the results in its report.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
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
 * Runs the tests of one project, counts them and returns the text of each failure. A skipped test, or a run without a
 * report, counts as failed.
 */
export async function runTests({ project, reporter = 'dot', filters = [], environment = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
  const report = join(folder, 'report.json')
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    `--project=${project}*`, // unit is unit and unit-measured
    `--reporter=${reporter}`,
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...filters,
  ]
  const well = (await run(`${project} tests`, projectNode, args, environment)) === 0
  let passed = 0
  let failed = 0
  let failures = []
  if (existsSync(report)) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    )
    failures = testResults.flatMap(failuresOf)
    const skipped = numPendingTests + numTodoTests
    passed = numPassedTests
    failed = numFailedTests + skipped
    if (!well && failed === 0) failed = 1
    if (skipped > 0) console.error(`${skipped} tests of ${project} were skipped; that counts as failed.`)
    if (numPassedTests + numFailedTests === 0) failed += 1
  } else failed = 1
  rmSync(folder, { recursive: true, force: true })
  return { passed, failed, failures }
}

/** What failed in one file: each test, or the file itself where it could not be run. Messages keep their first lines. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(root, name)
  const failing = assertionResults.filter((result) => result.status === 'failed')
  if (failing.length === 0) return status === 'failed' ? [`${file}\n${firstLines(message)}`] : []
  return failing.map((result) => `${file} > ${result.fullName}\n${firstLines(result.failureMessages.join('\n'))}`)
}

const firstLines = (text) =>
  text
    .split('\n')
    .slice(0, 12)
    .map((line) => `    ${line}`)
    .join('\n')
