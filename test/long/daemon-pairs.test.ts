import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { pairsOutOfOrder, tellPairs } from '../support/pair-runs.ts'
import { startPairVaults, vaultPairs } from '../support/paired-changes.ts'

let vaults: Awaited<ReturnType<typeof startPairVaults>>
beforeAll(async () => {
  vaults = await startPairVaults()
})
afterAll(() => vaults.stop())

test('any two changes at once have the result of one after the other', { timeout: 3_600_000 }, async () => {
  verifies('notes.no-foreign-overwrite', 'vault.soft-delete', 'links.move')
  const onPair = tellPairs(vaultPairs.length)
  expect(await pairsOutOfOrder({ ...vaults, pairs: vaultPairs, repeats: 4, onPair })).toEqual([])
})
