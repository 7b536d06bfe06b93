import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import { liveGrant, newAgentCaller } from '../../../../test/support/live-grant.ts'
import { createOpenCall } from './open-call.ts'

const clock = { now: () => new Date(0), monotonic: () => 0, sleep: async () => {} }
const approved = { key: 'local', state: 'approved' as const, canWrite: true, expiresAt: null }
const acme = { id: 'org_acme', slug: 'acme', name: 'Acme', role: 'member' as const, integrations: [approved] }
const grantOf = (...vaults: (string | null)[]) =>
  liveGrant({ vaults: vaults.map((vaultId) => ({ orgId: acme.id, vaultId })), organizations: [acme] })

test.each<[string, (string | null)[], string | undefined, string[] | undefined]>([
  ['that vault alone to a call for one of the chosen vaults', ['a', 'b'], 'b', ['b']],
  ['all chosen vaults to a call for no vault', ['a', 'b'], undefined, ['a', 'b']],
  ['no vault to calls in a whole organization', [null], 'b', undefined],
])('the assertion names %s', async (_what, chosen, vaultId, vaults) => {
  verifies('agents.many-vaults')
  const openCall = createOpenCall(newAgentCaller(clock))
  const { identity } = await openCall({ grant: grantOf(...chosen), org: 'acme', vaultId, kind: 'reads' })
  expect(identity.vaults).toEqual(vaults)
})
