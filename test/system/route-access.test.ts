import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import { z } from 'zod'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Answer, Person } from '../support/person.ts'

/** Who may call a route. */
/** `program`: a token of its own decides, not a cookie. */
type Access = 'program' | 'open' | 'signedIn' | 'member' | 'orgAdmin' | 'systemAdmin' | 'imageToken'
type Caller = 'anonymous' | 'outsider' | 'member' | 'admin' | 'systemAdmin' | 'bearer'

/** Every documented route. A route without a row fails the test, and so does a row without its route. */
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
  'patch /api/settings/agents/{grantId}': 'signedIn',
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
  'get /api/openapi.json': 'open',
  'get /metrics': 'open',
  'get /.well-known/oauth-protected-resource': 'program',
  'get /.well-known/oauth-protected-resource/mcp': 'program',
  'get /mcp/.well-known/oauth-protected-resource': 'program',
  'get /.well-known/oauth-authorization-server': 'program',
  'get /.well-known/oauth-authorization-server/mcp': 'program',
  'get /mcp/.well-known/oauth-authorization-server': 'program',
  'post /oauth2/register': 'program',
  'post /oauth2/token': 'program',
  'post /oauth2/revoke': 'program',
  'post /mcp': 'program',
  'get /mcp': 'program',
  'delete /mcp': 'program',
  'get /oauth2/authorize': 'open',
  'get /oauth2/consent': 'signedIn',
  'post /oauth2/consent': 'signedIn',
  'post /api/auth/sign-in/email': 'open',
  'post /api/auth/sign-in/magic-link': 'open',
  'post /api/auth/sign-in/social': 'open',
  'post /api/auth/magic-link/verify': 'open',
  'get /api/auth/callback/{provider}': 'open',
  'get /api/auth/get-session': 'open',
  'post /api/auth/request-password-reset': 'open',
  'post /api/auth/reset-password': 'open',
  'post /api/auth/send-verification-email': 'open',
  'post /api/auth/two-factor/verify-totp': 'open',
  'post /api/auth/two-factor/verify-backup-code': 'open',
  'get /api/auth/passkey/generate-authenticate-options': 'open',
  'post /api/auth/passkey/verify-authentication': 'open',
  'get /api/auth/list-sessions': 'signedIn',
  'post /api/auth/change-password': 'signedIn',
  'post /api/auth/verify-email': 'signedIn',
  'post /api/auth/two-factor/enable': 'signedIn',
  'post /api/auth/two-factor/confirm': 'signedIn',
  'post /api/auth/two-factor/generate-backup-codes': 'signedIn',
  'post /api/auth/two-factor/disable': 'signedIn',
  'get /api/auth/passkey/generate-register-options': 'signedIn',
  'post /api/auth/passkey/verify-registration': 'signedIn',
  'get /api/auth/passkey/list-user-passkeys': 'signedIn',
  'post /api/auth/passkey/update-passkey': 'signedIn',
  'post /api/auth/passkey/delete-passkey': 'signedIn',
  'post /api/auth/organization/update': 'orgAdmin',
  'post /api/auth/organization/invite-member': 'orgAdmin',
  'post /api/auth/organization/cancel-invitation': 'orgAdmin',
  'post /api/auth/organization/remove-member': 'orgAdmin',
  'post /api/auth/organization/update-member-role': 'orgAdmin',
  'post /api/auth/organization/accept-invitation': 'signedIn',
  'post /api/auth/organization/reject-invitation': 'signedIn',
  'post /api/auth/organization/leave': 'member',
  'post /api/auth/revoke-session': 'signedIn',
  'post /api/auth/revoke-other-sessions': 'signedIn',
  'post /api/auth/revoke-sessions': 'signedIn',
  'post /api/auth/sign-out': 'open',
}

/** Called last, because they remove what the other calls need. */
const parting = ['/api/auth/organization/leave', '/api/auth/revoke-sessions', '/api/auth/sign-out']

const TOKEN = 'image-token-of-the-tests-0123456789abcdef'
const operatorOrg = newId('org_')
const callers: Caller[] = ['anonymous', 'outsider', 'member', 'admin', 'systemAdmin', 'bearer']

let cp: TestControlPlane
let organization: { id: string; slug: string }
let invitationId: string
const people = {} as Record<Exclude<Caller, 'bearer'>, Person>
type Schema = Parameters<typeof z.fromJSONSchema>[0]
type Content = Record<string, { schema: Schema; example?: unknown }>
type Documented = {
  parameters?: { in: string; name: string; required?: boolean; schema: Schema; example?: unknown }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
type Operation = Documented & { name: string; method: string; path: string }
const operations: Operation[] = []

/** The access to a route. All routes of system admins have the same rule; every other route is in the table. */
const accessOf = ({ name, path }: Operation): Access | undefined =>
  access[name] ?? (path.startsWith('/api/admin/') ? 'systemAdmin' : undefined)

beforeAll(async () => {
  cp = await startControlPlane({
    environment: {
      MCP_ENABLED: '1',
      OPERATOR_ORG: operatorOrg,
      MANAGED_DAEMON_ADMIN_TOKEN: TOKEN,
      // The storage is unreachable, because access to the routes of backups is decided before the storage is used.
      BACKUP_BUCKET: 'backups',
      BACKUP_ENDPOINT: 'http://127.0.0.1:9',
      BACKUP_KEY: 'a-backup-key-of-the-tests-that-is-long-enough',
      BACKUP_ACCESS_KEY_ID: 'nobody',
      BACKUP_SECRET_ACCESS_KEY: 'nobody',
    },
    clock: hurriedClock(25),
  })
  for (const caller of ['anonymous', 'outsider', 'member', 'admin', 'systemAdmin'] as const) {
    people[caller] = cp.person()
    if (caller === 'anonymous') continue
    // Admission by domain, which an admin may turn on here, is for people of one domain.
    const email = `${caller.toLowerCase()}@${caller === 'admin' || caller === 'member' ? 'example.org' : 'elsewhere.example'}`
    await people[caller].signUp({ email })
  }
  await makeFirstAdmin(cp, operatorOrg, people.systemAdmin)
  organization = (await people.admin.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
  const { body } = await people.admin.post('/api/auth/organization/invite-member', {
    organizationId: organization.id,
    email: people.member.email,
    role: 'member',
  })
  const token = mailedToken(await cp.mailTo(people.member.email, 'invitation'))
  await people.member.post('/api/auth/organization/accept-invitation', { invitationId: body.id, token })

  invitationId = (
    await people.admin.post('/api/auth/organization/invite-member', {
      organizationId: organization.id,
      email: 'pending@example.org',
      role: 'member',
    })
  ).body.id

  const { paths } = (await people.anonymous.get('/api/openapi.json')).body as {
    paths: Record<string, Record<string, Documented>>
  }
  for (const [path, methods] of Object.entries(paths))
    for (const [method, documented] of Object.entries(methods))
      operations.push({ ...documented, name: `${method} ${path}`, method: method.toUpperCase(), path })
  operations.sort((a, b) => parting.indexOf(a.path) - parting.indexOf(b.path))
})
afterAll(() => cp.stop())

/** The path with ids of the organization, and unknown ids for the rest. */
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

/** The documented example of a body, with the ids of the existing organization and invitation. */
function bodyOf({ requestBody }: Operation): object {
  const { example = {} } = (requestBody?.content['application/json'] ?? {}) as { example?: Record<string, unknown> }
  const real: Record<string, unknown> = { organizationId: organization.id, invitationId }
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, real[name] ?? value]))
}

function send(caller: Caller, operation: Operation): Promise<Answer> {
  const { method, path } = operation
  const body = method === 'GET' ? undefined : bodyOf(operation)
  if (caller !== 'bearer') return people[caller].send(method, addressOf(path), body === undefined ? {} : { body })
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  return cp.raw(method, addressOf(path), { headers, body: body && JSON.stringify(body) })
}

/** Whether a body names the organization, so that outsiders get `not_found`. */
const namesOrganization = ({ path, requestBody }: Operation): boolean =>
  path.includes('{org') || (path.includes('/auth/organization/') && requestBody !== undefined)

const compiled = new WeakMap<object, z.ZodType>()
/** The schema of a part of the document; most responses share the one of failures. */
function schemaOf(schema: Schema): z.ZodType {
  const known = compiled.get(schema as object) ?? z.fromJSONSchema(schema)
  compiled.set(schema as object, known)
  return known
}

/** The documented response with this status and content type; undefined if there is none. */
function documentedBody({ responses }: Operation, { status, headers }: Answer): z.ZodType | undefined {
  const type = headers['content-type']?.split(';')[0] ?? ''
  const schema = (responses[String(status)] ?? responses['default'])?.content?.[type]?.schema
  return schema === undefined ? undefined : schemaOf(schema)
}

/** The refusal of the guard; undefined if the caller passes it. */
function refusal(access: Access, caller: Caller, isOfOrganization: boolean): [number, string] | undefined {
  if (access === 'open' || access === 'program') return undefined
  if (caller === 'bearer') return access === 'imageToken' ? undefined : [401, 'unauthenticated']
  if (caller === 'anonymous') return [401, 'unauthenticated']
  if (access === 'signedIn') return undefined
  if (access === 'systemAdmin' || access === 'imageToken')
    return caller === 'systemAdmin' ? undefined : [403, 'forbidden']
  const isInside = caller === 'member' || caller === 'admin'
  if (!isInside && isOfOrganization) return [404, 'not_found']
  return access === 'orgAdmin' && caller === 'member' ? [403, 'forbidden'] : undefined
}

test('every documented route says who may call it, and every row is a route', () => {
  verifies('auth.route-table')
  expect(operations.filter((operation) => accessOf(operation) === undefined).map(({ name }) => name)).toEqual([])
  const names = operations.map(({ name }) => name)
  expect(Object.keys(access).filter((name) => !names.includes(name))).toEqual([])
})

test('the routes that are open without a session are those of sign-in and those that the documentation names', () => {
  verifies('auth.open-routes')
  const text = readFileSync(new URL('../../docs/ARCHITECTURE.md', import.meta.url), 'utf8')
  const section = text.split('## Open without a session')[1]?.split('\n## ')[0] ?? ''
  const named = [...section.matchAll(/^\| `(GET|POST) ([^`]+)`/gm)].map(([, method, path]) => `${method} ${path}`)
  const open = Object.entries(access).filter(([name, who]) => who === 'open' && !name.includes(' /api/auth/'))
  expect(named.toSorted()).toEqual(
    open.map(([name]) => name.replace(/^\w+/, (method) => method.toUpperCase())).toSorted(),
  )
})

test('every parameter, body and answer has an example, and each is one that its schema takes', () => {
  verifies('house.openapi')
  const examples = operations.flatMap(({ name, parameters = [], requestBody, responses }) => [
    ...parameters.map((parameter) => ({ ...parameter, name: `${name} ${parameter.name}` })),
    ...[requestBody, ...Object.values(responses)].flatMap((part) =>
      Object.values(part?.content ?? {}).map((media) => ({ name, ...media })),
    ),
  ])
  expect(examples.length).toBeGreaterThan(200)
  const wrong = examples.flatMap(({ name, schema, example }) => {
    const { error } = schemaOf(schema).safeParse(example)
    return error === undefined ? [] : [`${name}: ${JSON.stringify(example)}: ${z.prettifyError(error)}`]
  })
  expect(wrong).toEqual([])
})

describe('as', () => {
  test.each(callers)('%s: each route answers as its row says, in the shape that is documented', async (caller) => {
    verifies('auth.route-table', 'error.shape')
    const problems: string[] = []
    for (const operation of operations) {
      const { name, path } = operation
      const access = accessOf(operation) ?? 'systemAdmin'
      const wanted = refusal(access, caller, namesOrganization(operation))
      // A stream does not end, so its end is not awaited; events.test.ts reads it.
      if (path === '/api/events' && wanted === undefined) continue
      const answer = await send(caller, operation)
      const find = (what: string) => problems.push(`${name}: ${what}: ${answer.status} ${answer.text.slice(0, 300)}`)

      const code = answer.body?.error?.code
      const isRefused = answer.status === wanted?.[0] && code === wanted[1]
      if (wanted !== undefined && !isRefused) find(`is not refused with ${wanted.join(' ')}`)
      const mayRefuse = access === 'open' || access === 'program'
      if (wanted === undefined && code === 'unauthenticated' && !mayRefuse) find('refuses somebody who may call it')
      if (answer.status === 500) find('fails')
      if (answer.status >= 300 && answer.status < 400) continue
      const documented = documentedBody(operation, answer)
      if (documented === undefined) find('is not documented')
      if (!answer.headers['content-type']?.startsWith('application/json')) continue
      const { error } = documented?.safeParse(answer.body) ?? {}
      if (error !== undefined) find(`is documented otherwise: ${z.prettifyError(error)}`)
    }
    expect(problems).toEqual([])
  })
})
