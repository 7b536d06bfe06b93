import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import type { Answer, Person } from '../support/person.ts'

const AT_ONCE = 10
const operatorOrg = newId('org_')

let cp: TestControlPlane
let admin: Person
let org: { id: string; slug: string }
let vaultHost: string
let addresses = 0

beforeAll(async () => {
  const environment = {
    ENVIRONMENT: 'production',
    TRUSTED_PROXIES: '127.0.0.1,::1',
    OPERATOR_ORG: operatorOrg,
    MANAGED_DAEMON_ADMIN_TOKEN: 'image-token-of-the-tests-0123456789abcdef',
    MCP_ENABLED: '1',
  }
  // The limits count in one window of time, however long the requests take.
  cp = await startControlPlane({ environment, clock: { ...systemClock, monotonic: () => 0 } })
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
  org = (await admin.post('/api/provisioning/orgs/self-hosted', { name: 'Limited' })).body.organization
  const label = 'abcdefghijklmnopqrst'
  await cp.db.insertInto('vault_origins').values({ org_id: org.id, label }).execute()
  const { generation } = await cp.db.selectFrom('vault_origins').selectAll().executeTakeFirstOrThrow()
  vaultHost = `${label}-${generation}.${new URL(cp.origin).host}`
})
afterAll(() => cp?.stop())

type Route = {
  max: number
  /** The status of calls below the limit. */
  usual: number
  call(from: Record<string, string>, turn: number): Promise<Answer>
}

const json = { 'content-type': 'application/json' }
const bearer = (path: string): Route['call'] => {
  const sent = { ...json, authorization: 'Bearer wrong-token' }
  return (from) => cp.raw('POST', path, { headers: { ...sent, ...from }, body: '{}' })
}
const asAdmin =
  (path: () => string, body: unknown = {}): Route['call'] =>
  (headers) =>
    admin.post(path(), body, { headers })

const routes: Record<string, Route> = {
  'sign-in': {
    max: 30,
    usual: 401,
    call: (headers, turn) =>
      cp
        .person()
        .post('/api/auth/sign-in/email', { email: `p${turn}@example.org`, password: 'wrong one' }, { headers }),
  },
  'sign-up': {
    max: 30,
    usual: 200,
    call: (headers, turn) =>
      cp
        .person()
        .post(
          '/api/auth/sign-up/email',
          { email: `new${turn}@example.org`, name: 'New', password: 'a long enough password' },
          { headers },
        ),
  },
  'a link to sign in': {
    max: 20,
    usual: 200,
    call: (headers, turn) =>
      cp.person().post('/api/auth/sign-in/magic-link', { email: `p${turn}@example.org` }, { headers }),
  },
  'the link of an invitation': {
    max: 60,
    usual: 409,
    call: (headers) =>
      cp.person().post(`/api/invitations/${newId('inv_')}/preview`, { token: 'x'.repeat(43) }, { headers }),
  },
  'the setup link': { max: 10, usual: 404, call: asAdmin(() => '/api/setup/claim', { token: 'x'.repeat(32) }) },
  'a new daemon key': { max: 30, usual: 200, call: asAdmin(() => `/api/orgs/${org.id}/api-key`) },
  'a rotation of the key': {
    max: 30,
    usual: 200,
    call: asAdmin(() => `/api/orgs/${org.id}/api-key/rotate`, { immediate: false }),
  },
  'a relay registration': {
    max: 30,
    usual: 200,
    call: asAdmin(() => `/api/orgs/${org.id}/vaults/relay`, { name: 'Notes' }),
  },
  'a verification of the audit of an organization': {
    max: 30,
    usual: 200,
    call: (headers) => admin.get(`/api/orgs/${org.id}/audit/verify`, { headers }),
  },
  'a verification of the whole audit': {
    max: 30,
    usual: 200,
    call: (headers) => admin.get('/api/admin/audit/verify', { headers }),
  },
  'an entry': { max: 300, usual: 503, call: asAdmin(() => `/api/orgs/${org.slug}/vaults/v/entry`) },
  'the form of an entry': {
    max: 30,
    usual: 401,
    call: (from) =>
      cp.raw('POST', '/_svc/enter', {
        headers: {
          host: vaultHost,
          origin: cp.origin,
          'content-type': 'application/x-www-form-urlencoded',
          ...from,
        },
        body: 'assertion=wrong',
      }),
  },
  'the bearer token of image rolls': {
    max: 10,
    usual: 401,
    call: (...sent) => bearer(`/api/admin/managed-daemons/${org.id}/image`)(...sent),
  },
  'the token of an agent': { max: 60, usual: 401, call: bearer('/mcp') },
}

test.each(Object.keys(routes))('%s is limited by the address that a trusted proxy names', async (name) => {
  verifies('security.address-limits')
  const { max, usual, call } = routes[name]!
  addresses += 1
  const from = { 'x-forwarded-for': `198.51.100.${addresses}` }
  const elsewhere = { 'x-forwarded-for': `203.0.113.${addresses}` }
  const statuses: number[] = []
  for (let turn = 0; turn < max; turn += AT_ONCE) {
    const calls = Array.from({ length: Math.min(AT_ONCE, max - turn) }, (_, index) => call(from, turn + index))
    statuses.push(...(await Promise.all(calls)).map(({ status }) => status))
  }
  expect([...new Set(statuses)]).toEqual([usual])

  const refused = await call(from, max)
  expect(refused.status, refused.text).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await call(elsewhere, max)).status).toBe(usual)
})
