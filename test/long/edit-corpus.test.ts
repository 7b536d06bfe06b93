import { expect, test } from 'vitest'
import { runEditCorpus } from '../support/run-edit-corpus.ts'

const EDITS = 6000

test('6,000 edits with the noise of models: none goes to a wrong place', async () => {
  const { wrong, applied, rejected, repairable } = await runEditCorpus({ edits: EDITS, seed: 20 })
  const share = (count: number) => `${((100 * count) / EDITS).toFixed(1)} %`
  console.log(
    `edit corpus: applied ${share(applied)}, rejected ${share(rejected)} (repairable in one turn ${share(repairable)}), wrong ${wrong.length}`,
  )
  expect(wrong).toEqual([])
}, 1_800_000)
