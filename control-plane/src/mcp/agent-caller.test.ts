import { expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { verifies } from '../../../test/requirements.ts'
import { createMemoryCounters, createRateLimit } from '../http/rate-limit.ts'
import type { LiveGrant } from '../oauth/grants.repository.ts'
import { createAgentCaller } from './agent-caller.ts'

let nowMs = 0
const clock = { now: () => new Date(nowMs), monotonic: () => nowMs, sleep: async () => {} }
const acme = 'org_acme'
const other = 'org_other'
const grantOf = (id: string) =>
  ({
    id,
    user_id: 'usr_ada',
    integration_key: 'local',
    can_write: true,
    paused_at: null,
    scopes: ['read', 'write'],
    vaults: [acme, other].map((orgId) => ({ orgId, vaultId: null })),
  }) as unknown as LiveGrant

const newCaller = () =>
  createAgentCaller({
    integrations: {
      findAccess: async (_org, key) => ({ standing: 'approved', canWrite: true, key }),
      request: async () => false,
    },
    countUse: () => {},
    findMembership: async (by) => {
      const id = 'orgId' in by ? by.orgId : by.orgSlug
      return { organization: { id, slug: id, name: id }, role: 'member' } as never
    },
    rateLimit: createRateLimit(createMemoryCounters(clock)),
    log: createLog({ service: 'test', level: 'fatal' }),
  })
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
    const grant = grantOf(`agt_${client}`)
    expect(await outcomes(600, () => outcomeOf(admit, { grant, org: acme }))).toEqual(['admitted'])
  }
  expect(await outcomeOf(admit, { grant: grantOf('agt_late'), org: acme })).toBe('too_many_requests')
  expect(await outcomeOf(admit, { grant: grantOf('agt_late'), org: other })).toBe('admitted')
})
