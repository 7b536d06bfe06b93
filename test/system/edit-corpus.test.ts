import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { runEditCorpus } from '../support/run-edit-corpus.ts'

test('edits with the noise of models go to the right place or are refused, while others type', async () => {
  verifies('mcp.edits-never-wrong')
  const { wrong, applied, rejected, repairable } = await runEditCorpus({ edits: 600, seed: 1 })
  expect(wrong).toEqual([])
  expect(applied).toBeGreaterThan(300)
  expect(repairable).toBeGreaterThan(rejected * 0.9)
})
