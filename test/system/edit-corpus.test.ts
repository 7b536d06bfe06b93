import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { runBusyEdits } from '../support/run-busy-edits.ts'
import { runEditCorpus } from '../support/run-edit-corpus.ts'

test('edits with the noise of models go to the right place or are refused, while others type', async () => {
  verifies('mcp.edits-never-wrong')
  const { wrong, applied, rejected, repairable } = await runEditCorpus({ edits: 600, seed: 1 })
  expect(wrong).toEqual([])
  expect(applied).toBeGreaterThan(300)
  expect(repairable).toBeGreaterThan(rejected * 0.9)
})

test('so do edits of notes that somebody types into and another program changes; no word of theirs is lost', async () => {
  verifies('mcp.edits-never-wrong')
  const { wrong, applied } = await runBusyEdits({ edits: 150, seed: 1 })
  expect(wrong).toEqual([])
  expect(applied).toBeGreaterThan(50)
})
