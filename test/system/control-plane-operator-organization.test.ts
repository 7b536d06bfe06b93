import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { mintSetupLink } from '../../control-plane/src/setup/setup-link.ts'
import { setupRepository } from '../../control-plane/src/setup/setup.repository.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Answer, Person } from '../support/person.ts'

const operatorOrg = newId('org_')
const STALE_MS = 11 * 60_000

let cp: TestControlPlane
let admin: Person
let offset = 0
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + offset) }

beforeAll(async () => {
  cp = await startControlPlane({ clock, environment: { OPERATOR_ORG: operatorOrg } })
  admin = await join('root@example.org')
})
afterAll(() => cp.stop())

const join = async (email: string): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email })
  return person
}
const stale = async <T>(call: () => Promise<T>): Promise<T> => {
  offset = STALE_MS
  try {
    return await call()
  } finally {
    offset = 0
  }
}
type Entry = {
  record: { event: string; actor: { kind: string; id: string }; subject?: string; outcome?: string; role?: string }
}
const audited = async (): Promise<Entry['record'][]> => {
  const { body } = await admin.get('/api/admin/audit?chain=platform&limit=200')
  return (body.entries as Entry[]).map(({ record }) => record).toReversed()
}
const auth = (person: Person, path: string, body: object) => person.post(`/api/auth/organization/${path}`, body)
const memberIdOf = async (person: Person): Promise<string> =>
  (await admin.get('/api/settings')).body.organizations[0].members.find(
    ({ userId }: { userId: string }) => userId === person.id,
  ).id

test('the setup link needs a recent sign-in, and its making and use are audited', async () => {
  verifies('security.setup-link', 'security.operator-organization')
  const link = await mintSetupLink({ setup: setupRepository(cp.db, clock), operatorOrg, baseUrl: cp.origin })
  const token = new URL(link!).hash.slice(1)
  const refused = await stale(() => admin.post('/api/setup/claim', { token }))
  expect(refused.body.error.code).toBe('fresh_sign_in_required')
  expect((await admin.get('/api/admin/status')).status).toBe(403)

  expect((await admin.post('/api/setup/claim', { token })).status).toBe(200)
  expect(await audited()).toMatchObject([
    { event: 'system_admins.setup_link_minted', actor: { kind: 'system' } },
    { event: 'system_admins.setup_claimed', actor: { kind: 'user', id: admin.id }, subject: admin.id },
  ])
})

test('invitations, roles and removals need a recent sign-in; what was refused changes nothing', async () => {
  verifies('security.operator-organization')
  const guest = await join('guest@example.org')
  const sent = await auth(admin, 'invite-member', { organizationId: operatorOrg, email: guest.email, role: 'member' })
  expect(sent.status).toBe(200)
  const invitationId = sent.body.id as string
  const token = mailedToken(await cp.mailTo(guest.email, 'invitation'))
  const before = (await audited()).length

  const accept = () => auth(guest, 'accept-invitation', { invitationId, token })
  const attempts: [string, () => Promise<Answer>][] = [
    [
      'invite',
      () => auth(admin, 'invite-member', { organizationId: operatorOrg, email: 'x@example.org', role: 'admin' }),
    ],
    ['cancel', () => auth(admin, 'cancel-invitation', { invitationId })],
    ['rename', () => auth(admin, 'update', { organizationId: operatorOrg, data: { name: 'Mine' } })],
    ['accept', accept],
    ['reject', () => auth(guest, 'reject-invitation', { invitationId, token })],
  ]
  for (const [name, attempt] of attempts)
    expect((await stale(attempt)).body.error?.code, name).toBe('fresh_sign_in_required')
  expect((await accept()).status).toBe(200)

  const memberId = await memberIdOf(guest)
  const later: typeof attempts = [
    ['role', () => auth(admin, 'update-member-role', { organizationId: operatorOrg, memberId, role: 'admin' })],
    ['remove', () => auth(admin, 'remove-member', { organizationId: operatorOrg, memberIdOrEmail: guest.email })],
  ]
  for (const [name, attempt] of later)
    expect((await stale(attempt)).body.error?.code, name).toBe('fresh_sign_in_required')
  for (const [, attempt] of later) await attempt()

  const records = (await audited()).slice(before)
  const of = (event: string, outcome: string, rest: object) => ({ event: `system_admins.${event}`, outcome, ...rest })
  const both = (event: string, rest: object) => [of(event, 'requested', rest), of(event, 'done', rest)]
  const byAdmin = { actor: { kind: 'user', id: admin.id } }
  expect(records).toMatchObject([
    ...both('invitation_accepted', { actor: { kind: 'user', id: guest.id }, subject: invitationId }),
    ...both('role_changed', { ...byAdmin, subject: guest.id, role: 'admin' }),
    ...both('member_removed', { ...byAdmin, subject: guest.id }),
  ])
  expect(JSON.stringify(await audited())).not.toContain('@example.org')
})

test('their organization takes no daemon and no auto-admit, and cannot be deleted', async () => {
  verifies('security.operator-organization-bare')
  const { slug, name, daemonMode } = (await admin.get('/api/settings')).body.organizations.find(
    ({ id }: { id: string }) => id === operatorOrg,
  )
  expect(daemonMode).toBeUndefined()
  const refusals: [string, () => Promise<Answer>, string][] = [
    ['auto-admit', () => admin.patch(`/api/orgs/${operatorOrg}/auto-admit`, { enabled: true }), 'forbidden'],
    ['deletion', () => admin.delete(`/api/orgs/${operatorOrg}`, { name }), 'forbidden'],
    ['key', () => admin.post(`/api/orgs/${operatorOrg}/api-key`), 'not_self_hosted_daemon'],
    [
      'registration',
      () => admin.post(`/api/orgs/${operatorOrg}/vaults/relay`, { name: 'Notes' }),
      'not_self_hosted_daemon',
    ],
    [
      'grant',
      () =>
        admin.post(`/api/admin/orgs/${operatorOrg}/managed-daemon/comped`, {
          operationId: 'operator-org-grant',
          reason: 'a test',
          confirmation: slug,
        }),
      'not_hosted_daemon',
    ],
  ]
  for (const [what, attempt, code] of refusals) expect((await attempt()).body.error?.code, what).toBe(code)
  expect((await admin.get('/api/settings')).body.organizations).toMatchObject([{ id: operatorOrg, slug }])
})

test('a sent invitation is audited with its role and id, a refused change as refused', async () => {
  const before = (await audited()).length
  const sent = await auth(admin, 'invite-member', {
    organizationId: operatorOrg,
    email: 'new@example.org',
    role: 'admin',
  })
  const memberId = await memberIdOf(admin)
  const refused = await auth(admin, 'update-member-role', { organizationId: operatorOrg, memberId, role: 'member' })
  expect(refused.body.error.code).toBe('last_admin')

  const records = (await audited()).slice(before)
  expect(records.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual([
    'system_admins.invitation_sent requested',
    'system_admins.invitation_sent done',
    'system_admins.role_changed requested',
    'system_admins.role_changed refused',
  ])
  expect(records[1]).toMatchObject({ role: 'admin', subject: sent.body.id })
})

test('other organizations need no recent sign-in for this, and leave the chain of the platform alone', async () => {
  const ada = await join('ada@example.org')
  const { body } = await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })
  const before = (await audited()).length
  const invite = () =>
    auth(ada, 'invite-member', { organizationId: body.organization.id, email: 'y@example.org', role: 'member' })
  expect((await stale(invite)).status).toBe(200)
  expect(await audited()).toHaveLength(before)
})
