// `npm test`: everything that a change must pass. Parts that cannot be had are named with what to install and fail the run.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilds, ensureDependencies, projectEnvironment, projectNode, root } from './ensure.mjs'
import { findRedis } from './redis.mjs'

const HELP = `npm test [-- PROJECT ...] runs the type check, the linter, the formatter's check and all tests.

  PROJECT   unit, system, browser, kubernetes: only these tests, without the other checks

Redis or Valkey, Chromium and a Kubernetes API server are found on this machine or fetched; what cannot be had is named.`

const asked = process.argv.slice(2)
if (asked.includes('--help')) {
  console.log(HELP)
  process.exit(0)
}
const projects = asked.length > 0 ? asked : ['unit', 'system', 'browser', 'kubernetes']
let passed = 0
let failed = 0

/** Runs a command with its output shown; answers whether it ended well. */
function run(title, command, args, environment = {}) {
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
      resolve(false)
    })
    child.once('close', (code) => {
      console.log(
        `== ${title}: ${code === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - since) / 1000).toFixed(0)} s`,
      )
      resolve(code === 0)
    })
  })
}

async function check(title, args) {
  if (await run(title, projectNode, args)) passed += 1
  else failed += 1
}

/** Runs the tests of one project and adds up what its report says; a run without a report counts as one failure. */
async function tests(project, environment) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
  const report = join(folder, 'report.json')
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    project,
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  const well = await run(`${project} tests`, projectNode, args, environment)
  if (existsSync(report)) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, 'utf8'))
    const skipped = numPendingTests + numTodoTests // a skipped test is a failed one: nothing is left out silently
    passed += numPassedTests
    failed += numFailedTests + skipped + (!well && numFailedTests + skipped === 0 ? 1 : 0)
    if (skipped > 0) console.error(`${skipped} tests of ${project} were skipped; that counts as failed.`)
    if (numPassedTests + numFailedTests === 0) failed += 1
  } else failed += 1
  rmSync(folder, { recursive: true, force: true })
}

await ensureDependencies()
await ensureBuilds()
const environment = {}
if (projects.some((name) => name !== 'unit')) {
  const redis = findRedis()
  if (redis.binary) environment.SVC_TEST_REDIS = redis.binary
  else {
    console.error(redis.missing)
    failed += 1
  }
}
if (asked.length === 0) {
  await check('type check', ['node_modules/typescript/bin/tsc', '-p', '.'])
  await check('linter', ['node_modules/oxlint/bin/oxlint'])
  await check('formatter', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'])
}
for (const project of projects) await tests(project, environment)

console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
