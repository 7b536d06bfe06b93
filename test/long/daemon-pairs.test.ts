import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { allPairs, pairsOutOfOrder } from '../support/pair-runs.ts'

const TOLD_EVERY = 50

test('any two changes at once have the result of one after the other', async () => {
  verifies('notes.no-foreign-overwrite', 'vault.soft-delete', 'links.move')
  const onPair = (done: number) => {
    if (done % TOLD_EVERY === 0) console.log(`${done} of ${allPairs.length} pairs`)
  }
  expect(await pairsOutOfOrder({ pairs: allPairs, repeats: 4, onPair })).toEqual([])
}, 3_600_000)
