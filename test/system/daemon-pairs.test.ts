import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { seededRandom } from '../support/hostile-text.ts'
import { pairsOutOfOrder } from '../support/pair-runs.ts'
import { startPairVaults, vaultPairs } from '../support/paired-changes.ts'

const SEED = 4
const PAIRS = 25

let vaults: Awaited<ReturnType<typeof startPairVaults>>
beforeAll(async () => {
  vaults = await startPairVaults()
})
afterAll(() => vaults.stop())

// The long form, with all pairs, is test/long/daemon-pairs.test.ts.
test('two changes at once have the result of one after the other', { timeout: 600_000 }, async () => {
  verifies('notes.no-foreign-overwrite', 'vault.soft-delete', 'links.move')
  const random = seededRandom(SEED)
  const pairs = Array.from({ length: PAIRS }, () => random.pick(vaultPairs))
  expect(await pairsOutOfOrder({ ...vaults, pairs, repeats: 2 })).toEqual([])
})
