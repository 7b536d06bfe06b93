import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import { liveGrant, newAgentCaller } from '../../../../test/support/live-grant.ts'
import type { Reached } from '../../gateway/gateway.domain.ts'
import type { LiveGrant } from './agent-rights.ts'
import { createOpenCall } from './open-call.ts'
import { createOpenReachedCall } from './open-reached-call.ts'

const clock = { now: () => new Date(0), monotonic: () => 0, sleep: async () => {} }
const approved = { key: 'local', state: 'approved' as const, canWrite: true, expiresAt: null }
const acme = { id: 'org_acme', slug: 'acme', name: 'Acme', role: 'member' as const, integrations: [approved] }
const grant = liveGrant({ vaults: [{ orgId: acme.id, vaultId: null }], organizations: [acme] })

/** A call to change a note, whose daemon is reached like this while the grant becomes that. */
function setUp(reached: Reached, later: LiveGrant | undefined) {
  const openCall = createOpenCall(newAgentCaller(clock))
  const open = createOpenReachedCall({ openCall, refresh: async () => later, reach: async () => reached })
  const { signal } = new AbortController()
  return () => open({ grant, org: 'acme', vaultId: 'v', kind: 'writes', signal })
}

test.each<[string, LiveGrant | undefined, string]>([
  ['the person disconnected the program', undefined, 'forbidden'],
  ['the person left the organization', { ...grant, organizations: [] }, 'not_found'],
  ['the person chose other vaults', { ...grant, vaults: [{ orgId: acme.id, vaultId: 'w' }] }, 'not_found'],
  ['the person granted reading alone', { ...grant, can_write: false }, 'forbidden'],
  [
    'an admin revoked the program',
    { ...grant, organizations: [{ ...acme, integrations: [{ ...approved, state: 'revoked' }] }] },
    'integration_not_approved',
  ],
])('a call that waited for its daemon is refused if meanwhile %s', async (_what, later, code) => {
  verifies('agents.revocation')
  await expect(setUp('waited', later)()).rejects.toMatchObject({ code })
})

test('a call that waited has the rights of after the wait, and the short name of then', async () => {
  const later = { ...grant, organizations: [{ ...acme, slug: 'acme-2', role: 'admin' as const }] }
  expect(await setUp('waited', later)()).toMatchObject({ org: 'acme-2', identity: { role: 'admin' } })
})

test('a call counts once, whether it waited or not', async () => {
  for (const reached of ['waited', 'at_once'] as const) {
    const call = setUp(reached, grant)
    for (let calls = 0; calls < 600; calls += 1) await call()
    await expect(call()).rejects.toMatchObject({ code: 'too_many_requests' })
  }
})
