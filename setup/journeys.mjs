// The journeys on a Kubernetes node that `npm test` runs where SVC_TEST_CLUSTER asks for them.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectNode, root } from './ensure.mjs'
import { mayHaveNode, NO_NODE } from './own-node.mjs'
import { run } from './vitest-report.mjs'

// The first of the journeys of `npm run test:cluster`, with fewer rounds of sleep and wake; the others take too long for
// every change.
const journeys = ['install', 'rolls', 'sleep']
/** With `auto`, a run that has taken longer than this leaves the journeys out, so that it does not take forever. */
const AUTO_WITHIN_MS = 27 * 60_000

/**
 * Runs the journeys if `wanted` is `1`, or if it is `auto` and this machine can have a node; `sinceMs` is how long the
 * run has taken so far. Returns the number of passed and failed checks, and what was left out and why.
 */
export async function runJourneys({ wanted, sinceMs }) {
  const others = readdirSync(join(root, 'test/cluster'))
    .map((name) => name.replace('.test.ts', ''))
    .filter((name) => !journeys.includes(name))
  const partly = `on the node ${others.join(', ')}. npm run test:cluster runs them.`
  const none = (why) => ({ passed: 0, failed: 0, leftOut: `the journeys on a Kubernetes node, ${why}` })

  if (wanted !== '1' && wanted !== 'auto')
    return none('because they install packages. As root on Debian, SVC_TEST_CLUSTER=1 adds them; npm test -- --help.')
  if (wanted === 'auto' && !mayHaveNode()) return none('because a node needs root on Debian.')
  if (wanted === 'auto' && sinceMs > AUTO_WITHIN_MS)
    return none(`because the run has taken ${Math.round(sinceMs / 60_000)} minutes. SVC_TEST_CLUSTER=1 adds them.`)

  const title = `journeys on a node: ${journeys.join(', ')}`
  const code = await run(title, projectNode, ['setup/cluster.mjs', ...journeys], { SVC_CLUSTER_SHORT: '1' })
  if (wanted === 'auto' && code === NO_NODE) return none('because it did not come up; the lines above say why.')
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, failure: title, leftOut: partly }
}
