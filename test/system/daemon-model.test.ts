import { test } from 'vitest'
import { verifies } from '../requirements.ts'
import { modelRuns } from '../support/model-runs.ts'

// The long form is test/long/daemon-model.test.ts.
test('whatever the API, another program and kills do in turn, every file is what a plain model says', async () => {
  verifies('notes.durable', 'notes.no-foreign-overwrite')
  await modelRuns({ runs: 4, most: 30, withinMs: 280_000 })
})
