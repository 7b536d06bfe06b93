import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { authRoutes } from '../../control-plane/src/sign-in/auth-routes.ts'
import { mintSetupLink } from '../../control-plane/src/setup/setup-link.ts'
import { setupRepository } from '../../control-plane/src/setup/setup.repository.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Answer, Person } from '../support/person.ts'

/** Who a route is for. */
type Access = 'open' | 'signedIn' | 'member' | 'orgAdmin' | 'systemAdmin' | 'imageToken'
type Caller = 'anonymous' | 'outsider' | 'member' | 'admin' | 'systemAdmin' | 'bearer'

/** Every documented route. One that is not here fails the test, and so does a row without its route. */
const access: Record<string, Access> = {
  'get /api/health': 'open',
  'get /ready': 'open',
  'get /api/app-config': 'open',
  'post /api/setup/claim': 'signedIn',
  'get /api/downloads': 'signedIn',
  'get /api/settings': 'signedIn',
  'patch /api/settings/profile': 'signedIn',
  'patch /api/settings/preferences': 'signedIn',
  'post /api/settings/admission-offers/{orgId}': 'signedIn',
  'post /api/settings/email': 'signedIn',
  'post /api/settings/email/confirm': 'signedIn',
  'post /api/auth/email-change/undo': 'open',
  'delete /api/settings/account': 'signedIn',
  'get /api/vaults': 'signedIn',
  'get /api/events': 'signedIn',
  'get /api/settings/agents': 'signedIn',
  'delete /api/settings/agents/{grantId}': 'signedIn',
  'get /api/orgs/{orgId}/integrations': 'orgAdmin',
  'post /api/orgs/{orgId}/integrations/{integrationId}/approve': 'orgAdmin',
  'patch /api/orgs/{orgId}/integrations/{integrationId}': 'orgAdmin',
  'post /api/provisioning/orgs/self-hosted': 'signedIn',
  'post /api/provisioning/orgs/cloud-hosted/comped': 'signedIn',
  'post /api/provisioning/orgs/cloud-hosted': 'systemAdmin',
  'post /api/auth/sign-up/email': 'open',
  'post /api/auth/sign-up/resend': 'open',
  'post /api/auth/sign-up/preview': 'open',
  'post /api/auth/sign-up/confirm': 'open',
  'post /api/invitations/{invitationId}/preview': 'open',
  'post /api/invitations/{invitationId}/account': 'open',
  'post /api/orgs/{orgId}/invitations/{invitationId}/link': 'orgAdmin',
  'post /api/orgs/{orgId}/vault-origin/reset': 'orgAdmin',
  'get /api/orgs/{orgId}/audit': 'orgAdmin',
  'get /api/orgs/{orgId}/audit/verify': 'orgAdmin',
  'patch /api/orgs/{orgId}/auto-admit': 'orgAdmin',
  'delete /api/orgs/{orgId}': 'orgAdmin',
  'get /api/orgs/{orgId}/daemon/status': 'member',
  'get /api/orgs/{orgId}/api-key': 'orgAdmin',
  'post /api/orgs/{orgId}/api-key': 'orgAdmin',
  'post /api/orgs/{orgId}/api-key/rotate': 'orgAdmin',
  'post /api/orgs/{orgId}/vaults/relay': 'member',
  'post /api/orgs/{orgId}/vaults/hosted': 'member',
  'post /api/orgs/{orgSlug}/vaults/{vaultSlug}/entry': 'member',
  'patch /api/orgs/{orgId}/hosted/idle-sleep': 'orgAdmin',
  'patch /api/orgs/{orgId}/hosted/backups': 'orgAdmin',
  'get /api/orgs/{orgSlug}/hosted/status': 'member',
  'post /api/orgs/{orgSlug}/hosted/wake': 'member',
  'post /api/admin/managed-daemons/{orgId}/image': 'imageToken',
}

const TOKEN = 'image-token-of-the-tests-0123456789abcdef'
const operatorOrg = newId('org_')
const callers: Caller[] = ['anonymous', 'outsider', 'member', 'admin', 'systemAdmin', 'bearer']

let cp: TestControlPlane
let organization: { id: string; slug: string }
const people = {} as Record<Exclude<Caller, 'bearer'>, Person>
type Operation = { name: string; method: string; path: string; responses: Record<string, unknown> }
const operations: Operation[] = []

/** Routes of system admins have one rule; every other route stands in the table. */
const accessOf = ({ name, path }: Operation): Access | undefined =>
  access[name] ?? (path.startsWith('/api/admin/') ? 'systemAdmin' : undefined)

beforeAll(async () => {
  cp = await startControlPlane({
    environment: {
      MCP_ENABLED: '1',
      OPERATOR_ORG: operatorOrg,
      MANAGED_DAEMON_ADMIN_TOKEN: TOKEN,
      // A storage that nobody reaches: who may call the routes of backups is decided before it is asked.
      BACKUP_BUCKET: 'backups',
      BACKUP_ENDPOINT: 'http://127.0.0.1:9',
      BACKUP_KEY: 'a-backup-key-of-the-tests-that-is-long-enough',
      BACKUP_ACCESS_KEY_ID: 'nobody',
      BACKUP_SECRET_ACCESS_KEY: 'nobody',
    },
  })
  for (const caller of ['anonymous', 'outsider', 'member', 'admin', 'systemAdmin'] as const) {
    people[caller] = cp.person()
    if (caller === 'anonymous') continue
    const email = `${caller.toLowerCase()}@example.org`
    await people[caller].signUp({ email })
  }
  const link = await mintSetupLink({ setup: setupRepository(cp.db, systemClock), operatorOrg, baseUrl: cp.origin })
  await people.systemAdmin.post('/api/setup/claim', { token: new URL(link!).hash.slice(1) })
  organization = (await people.admin.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
  const { body } = await people.admin.post('/api/auth/organization/invite-member', {
    organizationId: organization.id,
    email: people.member.email,
    role: 'member',
  })
  const token = mailedToken(await cp.mailTo(people.member.email))
  await people.member.post('/api/auth/organization/accept-invitation', { invitationId: body.id, token })

  const { paths } = (await people.anonymous.get('/api/openapi.json')).body as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
  }
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(methods))
      operations.push({ name: `${method} ${path}`, method: method.toUpperCase(), path, responses })
})
afterAll(() => cp.stop())

/** The path with ids of the organization, and ids of nothing for the rest. */
function addressOf(path: string): string {
  const known: Record<string, string> = {
    orgId: organization.id,
    orgSlug: organization.slug,
    vaultSlug: 'notes',
    invitationId: newId('inv_'),
    rolloutId: newId('rol_'),
    grantId: newId('agt_'),
    integrationId: newId('int_'),
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => known[name] ?? newId('rol_'))
  return path === '/api/admin/audit' || path === '/api/admin/audit/export' ? `${filled}?chain=platform` : filled
}

function send(caller: Caller, { method, path }: Pick<Operation, 'method' | 'path'>): Promise<Answer> {
  const body = method === 'GET' ? {} : { body: {} }
  if (caller !== 'bearer') return people[caller].send(method, addressOf(path), body)
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  return cp.raw(method, addressOf(path), { headers, body: method === 'GET' ? undefined : '{}' })
}

/** The refusal of the guard; undefined where the caller passes it. */
function refusal(access: Access, caller: Caller, path: string): [number, string] | undefined {
  if (access === 'open') return undefined
  if (caller === 'bearer') return access === 'imageToken' ? undefined : [401, 'unauthenticated']
  if (caller === 'anonymous') return [401, 'unauthenticated']
  if (access === 'signedIn') return undefined
  if (access === 'systemAdmin' || access === 'imageToken')
    return caller === 'systemAdmin' ? undefined : [403, 'forbidden']
  const isInside = caller === 'member' || caller === 'admin'
  if (!isInside && path.includes('{org')) return [404, 'not_found']
  return access === 'orgAdmin' && caller === 'member' ? [403, 'forbidden'] : undefined
}

test('every documented route says who may call it, and every row is a route', () => {
  verifies('auth.route-table')
  expect(operations.filter((operation) => accessOf(operation) === undefined).map(({ name }) => name)).toEqual([])
  const names = operations.map(({ name }) => name)
  expect(Object.keys(access).filter((name) => !names.includes(name))).toEqual([])
})

describe('as', () => {
  test.each(callers)('%s: each route answers as its row says, in the shape that is documented', async (caller) => {
    verifies('auth.route-table', 'error.shape')
    for (const operation of operations) {
      const { name, path, responses } = operation
      // A stream has no end to wait for; events.test.ts reads it.
      if (path === '/api/events' && refusal('signedIn', caller, path) === undefined) continue
      const answer = await send(caller, operation)
      const wanted = refusal(accessOf(operation) ?? 'systemAdmin', caller, path)
      const what = `${caller}: ${name}`
      if (wanted !== undefined) expect([answer.status, answer.body?.error?.code], what).toEqual(wanted)
      else expect(answer.status, what).not.toBe(401)

      expect(answer.status, what).not.toBe(500)
      if (answer.body?.ok === true) expect(Object.keys(responses), what).toContain(String(answer.status))
      else if (path !== '/api/admin/audit/export' || answer.status >= 400)
        expect(ErrorBody.safeParse(answer.body).success, `${what}: ${answer.text}`).toBe(true)
      expect(answer.headers['content-type'], what).toMatch(/^application\/(json|x-ndjson)/)
    }
  })
})

test('each route of the sign-in handler that needs a session refuses everybody without one', async () => {
  verifies('auth.route-table')
  const email = 'nobody@example.org'
  const bodies: Record<string, object> = {
    '/revoke-session': { token: 'x' },
    '/change-password': { currentPassword: 'x', newPassword: 'y' },
    '/verify-email': { token: 'x' },
    '/two-factor/confirm': { code: '123456' },
    '/passkey/verify-registration': {
      response: { id: 'x', rawId: 'x', type: 'public-key', response: { clientDataJSON: 'x', attestationObject: 'x' } },
      name: 'x',
    },
    '/passkey/update-passkey': { id: 'x', name: 'y' },
    '/passkey/delete-passkey': { id: 'x' },
    '/organization/update': { data: { name: 'x' } },
    '/organization/invite-member': { email, role: 'member' },
    '/organization/remove-member': { memberIdOrEmail: email },
    '/organization/update-member-role': { memberId: 'x', role: 'admin' },
  }
  const guarded = authRoutes.filter(({ check }) => check !== undefined)
  expect(guarded.length).toBeGreaterThan(10)
  for (const { method, path, check } of guarded) {
    const body = { organizationId: organization.id, invitationId: newId('inv_'), ...bodies[path] }
    const { organizationId: _organization, invitationId: _invitation, ...plain } = body
    const isOfInvitation = path.endsWith('-invitation')
    const given = isOfInvitation
      ? { invitationId: body.invitationId }
      : path.startsWith('/organization/')
        ? { ...plain, organizationId: organization.id }
        : plain
    const call = method === 'GET' ? {} : { body: given }
    const nobody = await cp.person().send(method, `/api/auth${path}`, call)
    expect([nobody.status, nobody.body?.error?.code], path).toEqual([401, 'unauthenticated'])
    if (!path.startsWith('/organization/')) continue
    const outsider = await people.outsider.send(method, `/api/auth${path}`, call)
    expect(outsider.body?.error?.code, path).toMatch(
      isOfInvitation ? /^(not_found|invitation_invalid)$/ : /^not_found$/,
    )
    if (isOfInvitation || check === 'member') continue
    const member = await people.member.send(method, `/api/auth${path}`, call)
    expect(member.body?.error?.code, path).toBe('forbidden')
  }
})
