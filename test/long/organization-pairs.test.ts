import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { pairsOutOfOrder, tellPairs } from '../support/pair-runs.ts'
import { organizationPairs, startPairOrganizations } from '../support/paired-requests.ts'

let organizations: Awaited<ReturnType<typeof startPairOrganizations>>
beforeAll(async () => {
  organizations = await startPairOrganizations()
})
afterAll(() => organizations.stop())

test(
  'any two changes of an organization at once have the result of one after the other',
  { timeout: 3_600_000 },
  async () => {
    verifies('cp.invite', 'cp.remove-member', 'cp.change-role', 'cp.leave-organization')
    const onPair = tellPairs(organizationPairs.length)
    expect(await pairsOutOfOrder({ ...organizations, pairs: organizationPairs, repeats: 4, onPair })).toEqual([])
  },
)
