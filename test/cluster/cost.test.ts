import { afterAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { settled } from '../support/cluster.ts'
import { helmPlatform, type HelmPlatform } from '../support/helm-platform.ts'
import { podCost, podCostAtRest } from '../support/pod-cost.ts'

const AFTER_START_MS = 120_000
const REST_MS = 120_000
const MIB = 1024 * 1024
const MINUTE_MS = 60_000

let platform: HelmPlatform
afterAll(() => platform?.remove(), 300_000)

// docs/OPERATIONS.md has the figures. They are printed; only what no machine explains is a failure.
test('a hosted daemon that nobody uses costs little memory and hardly any CPU', { timeout: 900_000 }, async () => {
  verifies('cluster.cost')
  platform = await helmPlatform()
  const { cluster } = platform
  const { org } = await cluster.hosted('Resting')
  await cluster.reaches(org.name, 'awake', settled)
  const pod = await cluster.pod(org)
  const started = await podCost(cluster.client, pod, systemClock.now())
  await systemClock.sleep(AFTER_START_MS)
  const [before, after] = await podCostAtRest(cluster.client, pod, REST_MS)

  const perMinute = ((after.cpuMs - before.cpuMs) / (after.at - before.at)) * MINUTE_MS
  console.log(
    [
      `start ${Math.round(started.cpuMs)} ms of CPU`,
      `at rest ${Math.round(perMinute)} ms a minute`,
      `working set ${(after.workingSetBytes / MIB).toFixed(1)} MiB`,
    ].join(', '),
  )
  expect(after.workingSetBytes).toBeLessThan(100 * MIB)
  expect(perMinute).toBeLessThan(1_000)
  expect((await cluster.pod(org)).metadata.uid).toBe(pod.metadata.uid)
})
