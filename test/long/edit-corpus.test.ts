import { expect, test } from 'vitest'
import { runBusyEdits } from '../support/run-busy-edits.ts'
import { runEditCorpus, type CorpusResult } from '../support/run-edit-corpus.ts'

function tell(what: string, { edits, wrong, applied, rejected, repairable }: CorpusResult): void {
  const share = (count: number) => `${((100 * count) / edits).toFixed(1)} %`
  console.log(
    `${what}: applied ${share(applied)}, rejected ${share(rejected)} (repairable in one turn ${share(repairable)}), wrong ${wrong.length}`,
  )
}

test('6,000 edits with the noise of models: none goes to a wrong place', async () => {
  const result = await runEditCorpus({ edits: 6000, seed: 20 })
  tell('edit corpus', result)
  expect(result.wrong).toEqual([])
}, 1_800_000)

test('5,000 such edits beside a live typist and an outside editor: none is wrong, and no word is lost', async () => {
  const result = await runBusyEdits({ edits: 5000, seed: 21 })
  tell('edits of busy notes', result)
  expect(result.wrong).toEqual([])
}, 3_600_000)
