// `npm run test:long`: the long forms of tests that `npm test` runs briefly. Separate because they take minutes.
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ensureBuilds, ensureDependencies, root } from './ensure.mjs'
import { findRedis } from './redis.mjs'
import { runTests } from './vitest-report.mjs'

const SUFFIX = '.test.ts'
const namesIn = (folder, suffix) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(suffix))
    .map((name) => basename(name, suffix))
    .sort()
const suites = namesIn('test/long', SUFFIX)
const targets = namesIn('test/fuzz', '.fuzz.ts').map((name) => `fuzz/${name}`)

const HELP = `npm run test:long [-- NAME ...] runs the long tests, or those of the names.

  NAME   ${[...suites, ...targets].join(', ')}`

const asked = process.argv.slice(2)
if (asked.includes('--help')) {
  console.log(HELP)
  process.exit(0)
}
const unknown = asked.filter((name) => !suites.includes(name) && !targets.includes(name))
if (unknown.length > 0) {
  console.error(`There is no long test ${unknown.join(', ')}.\n\n${HELP}`)
  process.exit(64)
}

const wholeSuites = asked.length === 0 ? suites : asked.filter((name) => suites.includes(name))
const someTargets = wholeSuites.includes('fuzz') ? [] : asked.filter((name) => targets.includes(name))
const runs = [
  ...wholeSuites.map((name) => ({ suite: name, environment: {} })),
  ...(someTargets.length > 0 ? [{ suite: 'fuzz', environment: { SVC_TEST_FUZZ: someTargets.join(',') } }] : []),
]

await ensureDependencies()
await ensureBuilds()
let passed = 0
let failed = 0
const shared = {}
if (runs.some(({ suite }) => suite !== 'fuzz')) {
  const redis = await findRedis()
  if (redis.binary) shared.SVC_TEST_REDIS = redis.binary
  else {
    console.error(redis.missing)
    failed += 1
  }
}
for (const { suite, environment } of runs) {
  const filters = [`test/long/${suite}${SUFFIX}`]
  const counted = await runTests({
    project: 'long',
    reporter: 'verbose',
    filters,
    environment: { ...shared, ...environment },
  })
  passed += counted.passed
  failed += counted.failed
}

console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
