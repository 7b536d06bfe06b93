import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { seededRandom } from '../support/hostile-text.ts'
import { pairsOutOfOrder } from '../support/pair-runs.ts'
import { organizationPairs, startPairOrganizations } from '../support/paired-requests.ts'

const SEED = 4
const PAIRS = 15

/** Pairs of which both were made, or one failed, before changes of an organization were made in turn. */
const onceWrong: typeof organizationPairs = [
  ['the founder makes the member an admin', 'the member deletes their account'],
  ['the founder removes the member', 'the member deletes their account'],
  ['the admin removes the member', 'the member leaves'],
  ['the invited accepts', 'the invited rejects'],
  ['the invited accepts', 'the invited deletes their account'],
  ['the invited accepts', 'the founder invites again as an admin'],
  ['the invited rejects', 'the admin sends the invitation again'],
  ['the founder invites another as an admin', 'the admin invites another'],
  ['the founder invites another as an admin', 'the founder deletes their account'],
]

let organizations: Awaited<ReturnType<typeof startPairOrganizations>>
beforeAll(async () => {
  organizations = await startPairOrganizations()
})
afterAll(() => organizations.stop())

// The long form, with all pairs, is test/long/organization-pairs.test.ts.
test('two changes of an organization at once have the result of one after the other', async () => {
  verifies('cp.invite', 'cp.remove-member', 'cp.change-role', 'cp.leave-organization')
  const random = seededRandom(SEED)
  const pairs = [...onceWrong, ...Array.from({ length: PAIRS }, () => random.pick(organizationPairs))]
  expect(await pairsOutOfOrder({ ...organizations, pairs, repeats: 2 })).toEqual([])
})
