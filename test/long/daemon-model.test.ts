import { test } from 'vitest'
import { verifies } from '../requirements.ts'
import { modelRuns } from '../support/model-runs.ts'

const TOLD_EVERY = 10

test('200 runs of the model of a vault', async () => {
  const since = performance.now()
  const onRun = (done: number) => {
    if (done % TOLD_EVERY === 0) console.log(`${done} runs in ${Math.round((performance.now() - since) / 1000)} s`)
  }
  verifies('notes.durable', 'notes.no-foreign-overwrite')
  await modelRuns({ runs: 200, most: 60, withinMs: 3_500_000, onRun })
}, 3_600_000)
