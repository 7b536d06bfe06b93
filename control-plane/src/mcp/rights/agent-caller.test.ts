import { expect, test } from 'vitest'
import type { ServiceError } from '@svc/shared/wire/errors.ts'
import { verifies } from '../../../../test/requirements.ts'
import { liveGrant, newAgentCaller } from '../../../../test/support/live-grant.ts'
import type { IntegrationFacts } from '../../integrations/decide-access.ts'
import type { LiveGrant } from './agent-rights.ts'

let nowMs = 0
const clock = { now: () => new Date(nowMs), monotonic: () => nowMs, sleep: async () => {} }
const acme = 'org_acme'
const other = 'org_other'
const approved = { key: 'local', state: 'approved' as const, canWrite: true, expiresAt: null }
const organizationOf = (id: string) => ({
  id,
  slug: id.slice(4),
  name: id,
  role: 'member' as const,
  integrations: [approved],
})
const grantOf = (id: string, change: Partial<LiveGrant> = {}): LiveGrant =>
  liveGrant({
    id,
    vaults: [acme, other].map((orgId) => ({ orgId, vaultId: null })),
    organizations: [acme, other].map(organizationOf),
    ...change,
  })

const newCaller = () => newAgentCaller(clock)
type Call = { grant: LiveGrant; org: string; kind?: 'reads' | 'follows' }
const outcomeOf = (admit: ReturnType<typeof newCaller>, { grant, org, kind = 'reads' }: Call) =>
  admit({ grant, org, kind }).then(
    () => 'admitted',
    (error: { code: string }) => error.code,
  )
const outcomes = async (count: number, call: () => Promise<string>) => {
  const found: string[] = []
  for (let at = 0; at < count; at++) found.push(await call())
  return [...new Set(found)]
}

test('a client makes 600 calls a minute; following files is not counted', async () => {
  verifies('agents.limits')
  const admit = newCaller()
  const [busy, calm] = [grantOf('agt_busy'), grantOf('agt_calm')]
  expect(await outcomes(600, () => outcomeOf(admit, { grant: busy, org: acme }))).toEqual(['admitted'])
  expect(await outcomeOf(admit, { grant: busy, org: acme })).toBe('too_many_requests')
  expect(await outcomeOf(admit, { grant: busy, org: other })).toBe('too_many_requests')
  expect(await outcomeOf(admit, { grant: busy, org: acme, kind: 'follows' })).toBe('admitted')
  expect(await outcomeOf(admit, { grant: calm, org: acme })).toBe('admitted')
  nowMs += 61_000
  expect(await outcomeOf(admit, { grant: busy, org: acme })).toBe('admitted')
})

test('all clients of an organization together make 3,000 calls a minute; other organizations are not concerned', async () => {
  verifies('agents.limits')
  const admit = newCaller()
  for (let client = 0; client < 5; client++) {
    const grant = grantOf(`agt_${client}`, { user_id: `usr_${client}` })
    expect(await outcomes(600, () => outcomeOf(admit, { grant, org: acme }))).toEqual(['admitted'])
  }
  expect(await outcomeOf(admit, { grant: grantOf('agt_late'), org: acme })).toBe('too_many_requests')
  expect(await outcomeOf(admit, { grant: grantOf('agt_late'), org: other })).toBe('admitted')
})

test('a person who connects several programs makes half of the calls of an organization; others make the rest', async () => {
  verifies('agents.limits')
  const admit = newCaller()
  for (const [nth, calls] of [600, 600, 300].entries()) {
    const grant = grantOf(`agt_${nth}`)
    expect(await outcomes(calls, () => outcomeOf(admit, { grant, org: acme }))).toEqual(['admitted'])
  }
  expect(await outcomeOf(admit, { grant: grantOf('agt_more'), org: acme })).toBe('too_many_requests')
  expect(await outcomeOf(admit, { grant: grantOf('agt_more'), org: other })).toBe('admitted')
  expect(await outcomeOf(admit, { grant: grantOf('agt_bob', { user_id: 'usr_bob' }), org: acme })).toBe('admitted')
})

test('programs that nobody approved spend none of the calls of an organization', async () => {
  verifies('agents.limits')
  const admit = newCaller()
  for (let client = 0; client < 6; client++) {
    const grant = grantOf(`agt_${client}`, { user_id: `usr_${client}`, integration_key: 'https://unknown.example' })
    const refused = await outcomes(600, () => outcomeOf(admit, { grant, org: acme }))
    expect(refused).toEqual(['integration_not_approved'])
  }
  expect(await outcomeOf(admit, { grant: grantOf('agt_approved'), org: acme })).toBe('admitted')
})

const failureOf = (grant: LiveGrant, call: { org?: string; vaultId?: string; kind?: 'reads' | 'writes' } = {}) =>
  newCaller()({ grant, org: 'acme', kind: 'reads', ...call }).then(
    () => undefined,
    (error: ServiceError) => ({ code: error.code, message: error.message, details: error.details }),
  )

test('an organization is named by its id or its short name', async () => {
  for (const org of ['acme', acme]) expect(await failureOf(grantOf('agt_1'), { org })).toBeUndefined()
})

test.each(['nobody', 'org_nobody', 'usr_ada', ''])(
  'the organization %j is not there, and list_orgs is named',
  async (org) => {
    expect(await failureOf(grantOf('agt_1'), { org })).toEqual({
      code: 'not_found',
      message: 'No such organization here.',
      details: { next: 'Take org from list_orgs.' },
    })
  },
)

test('a vault that was not chosen is not there, and list_vaults is named', async () => {
  const grant = grantOf('agt_1', {
    vaults: [
      { orgId: acme, vaultId: 'diary' },
      { orgId: other, vaultId: 'plans' },
    ],
  })
  expect(await failureOf(grant, { vaultId: 'diary' })).toBeUndefined()
  expect(await failureOf(grant, { vaultId: 'plans' })).toMatchObject({
    code: 'not_found',
    details: { next: 'Take vaultId from list_vaults.' },
  })
})

const integrated = (change: Partial<IntegrationFacts>) =>
  grantOf('agt_1', { organizations: [{ ...organizationOf(acme), integrations: [{ ...approved, ...change }] }] })

test.each<[string, LiveGrant, string]>([
  ['the person paused it', grantOf('agt_1', { paused_at: new Date(0) }), 'forbidden'],
  ['no admin decided about it', integrated({ key: 'https://other.example' }), 'integration_not_approved'],
  ['an admin paused it', integrated({ state: 'paused' }), 'integration_not_approved'],
  ['an admin revoked it', integrated({ state: 'revoked' }), 'integration_not_approved'],
  ['its approval is over', integrated({ expiresAt: new Date(0) }), 'integration_not_approved'],
  [
    'the platform blocks it',
    grantOf('agt_1', { rules: [{ key: 'local', verdict: 'blocked' }] }),
    'integration_not_approved',
  ],
  [
    'the platform allows another one',
    grantOf('agt_1', { rules: [{ key: 'https://x.example', verdict: 'allowed' }] }),
    'integration_not_approved',
  ],
])('a call is refused when %s', async (_why, grant, code) => {
  expect(await failureOf(grant)).toMatchObject({ code })
})

test.each<[string, LiveGrant]>([
  ['the admins approved reading', integrated({ canWrite: false })],
  ['the person granted reading', grantOf('agt_1', { can_write: false })],
  ['the token is for reading', grantOf('agt_1', { scopes: ['read'] })],
])('where %s, a call that changes something is refused', async (_why, grant) => {
  expect(await failureOf(grant)).toBeUndefined()
  expect(await failureOf(grant, { kind: 'writes' })).toMatchObject({ code: 'forbidden' })
})
