import { test } from 'vitest'
import { verifies } from '../requirements.ts'
import { modelRuns } from '../support/model-runs.ts'

test('200 runs of the model of a vault', async () => {
  verifies('notes.durable', 'notes.no-foreign-overwrite')
  await modelRuns({ runs: 200, most: 60 })
}, 3_600_000)
