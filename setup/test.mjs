// `npm test`: everything that a change must pass. If a part cannot run, the run fails and says what to install.
import { ensureBuilds, ensureDependencies, projectNode } from './ensure.mjs'
import { findMissingProgram } from './go-programs.mjs'
import { runJourneys } from './journeys.mjs'
import { findRedis } from './redis.mjs'
import { run, runTests } from './vitest-report.mjs'

const HELP = `npm test [-- PROJECT ...] runs the type check, the linter, the formatter's check and all tests.

  PROJECT   unit, system, browser, charts, kubernetes: only these tests, without the other checks

Chromium comes from npm, Redis from this machine or Debian; the Kubernetes API server and the S3 storage are built with Go.
They are kept in the user's cache. What cannot be had is named. Others are used where a variable names them:

  SVC_TEST_CHROMIUM   program of another Chromium
  SVC_TEST_REDIS      program of a Redis or Valkey server
  KUBEBUILDER_ASSETS  folder with etcd and kube-apiserver

The journeys on a Kubernetes node are left out: they need root on Debian, install packages and take 10 minutes more.
SVC_TEST_CLUSTER=1 adds installation, rolls, and sleep and wake; auto does so where the machine can have a node and the
run has taken less than half an hour, as in .ci/run. npm run test:cluster runs all.`

const asked = process.argv.slice(2)
if (asked.includes('--help')) {
  console.log(HELP)
  process.exit(0)
}
/** The programs that the tests of a project build, which no limit of a test leaves time for. */
const builtFor = { system: ['versitygw'], charts: ['Helm 3', 'Kubernetes'], kubernetes: ['Kubernetes'] }

const since = performance.now()
const projects = asked.length > 0 ? asked : ['unit', 'system', 'browser', 'charts', 'kubernetes']
let passed = 0
let failed = 0
const failures = []

async function check(title, args) {
  if ((await run(title, projectNode, args)) === 0) passed += 1
  else {
    failed += 1
    failures.push(title)
  }
}

function lacks(missing) {
  console.error(missing)
  failed += 1
  failures.push(missing)
}

async function tests(project, environment) {
  const counted = await runTests({ project, environment })
  passed += counted.passed
  failed += counted.failed
  failures.push(...counted.failures)
}

await ensureDependencies()
await ensureBuilds()
const environment = {}
if (projects.some((name) => name !== 'unit' && name !== 'charts')) {
  const redis = await findRedis()
  if (redis.binary) environment.SVC_TEST_REDIS = redis.binary
  else lacks(redis.missing)
}
for (const program of new Set(projects.flatMap((name) => builtFor[name] ?? []))) {
  const missing = await findMissingProgram(program)
  if (missing !== undefined) lacks(missing)
}
if (asked.length === 0) {
  await check('type check', ['node_modules/typescript/bin/tsc', '-p', '.'])
  await check('linter', ['node_modules/oxlint/bin/oxlint'])
  await check('linter, expressions', ['node_modules/oxlint/bin/oxlint', '-c', '.oxlintrc.regexp.json'])
  // A file that passed is checked again when its content, the rules or the formatter have changed.
  const cached = ['--cache', '--cache-strategy', 'content']
  await check('formatter', ['node_modules/prettier/bin/prettier.cjs', '--check', ...cached, '--log-level', 'warn', '.'])
}
for (const project of projects) await tests(project, environment)
if (asked.length === 0) {
  const wanted = process.env.SVC_TEST_CLUSTER
  const result = await runJourneys({ wanted, sinceMs: performance.now() - since })
  passed += result.passed
  failed += result.failed
  if (result.failed > 0) failures.push(result.failure)
  console.log(`\nLeft out: ${result.leftOut}`)
}

// Repeated where a reader of a long output looks first.
if (failures.length > 0) console.log(`\nFailed:\n${failures.map((text) => `  ${text}`).join('\n')}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
