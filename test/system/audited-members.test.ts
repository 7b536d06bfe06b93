import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { mintSetupLink } from '../../control-plane/src/setup/setup-link.ts'
import { setupRepository } from '../../control-plane/src/setup/setup.repository.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { handLocks } from '../support/hand-locks.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Person } from '../support/person.ts'
import { whileRefused } from '../support/refused-entries.ts'
import { until } from '../support/until.ts'

const operatorOrg = newId('org_')
/** TXT records that the test's DNS returns. */
const records = new Map<string, string[]>()

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane({
    environment: { OPERATOR_ORG: operatorOrg },
    resolveText: async (name) => records.get(name) ?? [],
  })
})
afterAll(() => cp.stop())

let count = 0
const join = async (domain: string): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `person${(count += 1)}@${domain}`, name: `Person ${count}` })
  return person
}
const foundOrganization = async (admin: Person, kind: 'self-hosted' | 'cloud-hosted/comped'): Promise<string> =>
  (await admin.post(`/api/provisioning/orgs/${kind}`, { name: `Acme ${(count += 1)}` })).body.organization.id
const switchAutoAdmit = async (admin: Person, orgId: string, enabled: boolean) =>
  expect((await admin.patch(`/api/orgs/${orgId}/auto-admit`, { enabled })).status).toBe(200)
const auth = (person: Person, path: string, body: object) => person.post(`/api/auth/organization/${path}`, body)
/** Mails an invitation, and returns what answers it. */
const mailInvitation = async (admin: Person, organizationId: string, person: Person, role: string) => {
  const invitation = { organizationId, email: person.email, role }
  const { body } = await auth(admin, 'invite-member', invitation)
  let link = ''
  // The person may have got other invitations before.
  const hasCome = async () => (link = (await cp.mailTo(person.email, 'invitation')).link).includes(body.id)
  await until(`the invitation is mailed to ${person.email}`, hasCome)
  return { invitationId: body.id as string, token: mailedToken({ link }) }
}
const invite = async (admin: Person, organizationId: string, person: Person, role: string) =>
  expect(
    (await auth(person, 'accept-invitation', await mailInvitation(admin, organizationId, person, role))).status,
  ).toBe(200)
const deleteAccount = async (person: Person) =>
  expect((await person.delete('/api/settings/account', { confirmation: person.email })).status).toBe(200)
/** The records of a page of the audit, oldest first, without the earlier ones that other tests are about. */
const recordsOf = async (reader: Person, path: string, since: string) => {
  const all = ((await reader.get(path)).body.entries as { record: AuditRecord }[]).map(({ record }) => record)
  return all.toReversed().slice(all.toReversed().findLastIndex(({ event }) => event === since) + 1)
}
const by = ({ id }: Person) => ({ kind: 'user', id })

test('admission by domain is audited when it is turned on and off, and for each person who comes by it', async () => {
  verifies('security.member-audit')
  const ada = await join('acme.test')
  const orgId = await foundOrganization(ada, 'cloud-hosted/comped')
  await switchAutoAdmit(ada, orgId, true)
  await switchAutoAdmit(ada, orgId, true)
  const bob = await join('acme.test')
  await bob.signIn()
  await switchAutoAdmit(ada, orgId, false)
  await switchAutoAdmit(ada, orgId, false)
  const member = { subject: bob.id, role: 'member', outcome: 'done' }
  expect(await recordsOf(ada, `/api/orgs/${orgId}/audit`, 'organization.created')).toMatchObject([
    { event: 'organization.auto_admit_on', actor: by(ada), orgId, outcome: 'done' },
    { event: 'organization.member_admitted', actor: by(bob), orgId, ...member },
    { event: 'organization.auto_admit_off', actor: by(ada), orgId, outcome: 'done' },
  ])
})

test('so is an accepted offer, and that a proof by DNS gave the domain to another organization', async () => {
  verifies('security.member-audit')
  const [ada, rival] = [await join('contested.test'), await join('contested.test')]
  const [orgId, rivals] = [await foundOrganization(ada, 'self-hosted'), await foundOrganization(rival, 'self-hosted')]
  await switchAutoAdmit(ada, orgId, true)
  const [yes, no] = [await join('contested.test'), await join('contested.test')]
  for (const [person, accept] of [
    [no, false],
    [yes, true],
  ] as const)
    expect((await person.post(`/api/settings/admission-offers/${orgId}`, { accept })).status).toBe(200)
  records.set('_svc-admit.contested.test', [`svc-org=${rivals}`])
  await switchAutoAdmit(rival, rivals, true)

  expect(await recordsOf(ada, `/api/orgs/${orgId}/audit`, 'organization.auto_admit_on')).toMatchObject([
    { event: 'organization.member_admitted', actor: by(yes), orgId, subject: yes.id, role: 'member' },
    { event: 'organization.domain_lost', actor: { kind: 'system', id: 'dns' }, orgId },
  ])
  const own = await recordsOf(rival, `/api/orgs/${rivals}/audit`, 'daemon_key.issued')
  expect(own).toMatchObject([{ event: 'organization.auto_admit_on', actor: by(rival), orgId: rivals }])
})

test('whoever deletes the account leaves every organization in its audit', async () => {
  verifies('security.member-audit', 'account.deletion')
  const [ada, bob] = [await join('one.test'), await join('other.test')]
  const organizations = [await foundOrganization(ada, 'self-hosted'), await foundOrganization(ada, 'self-hosted')]
  for (const orgId of organizations) await invite(ada, orgId, bob, 'member')
  await deleteAccount(bob)
  for (const orgId of organizations) {
    const left = await recordsOf(ada, `/api/orgs/${orgId}/audit`, 'organization.invitation_accepted')
    expect(left).toMatchObject([{ event: 'organization.member_left', actor: by(bob), orgId, outcome: 'done' }])
  }
})

test('a system admin who deletes the account leaves in the audit of the platform', async () => {
  verifies('security.member-audit', 'security.operator-organization')
  const [root, other] = [await join('platform.test'), await join('platform.test')]
  const link = await mintSetupLink({ setup: setupRepository(cp.db, systemClock), operatorOrg, baseUrl: cp.origin })
  await root.post('/api/setup/claim', { token: new URL(link!).hash.slice(1) })
  await invite(root, operatorOrg, other, 'admin')
  await deleteAccount(other)
  expect(await recordsOf(root, '/api/admin/audit?chain=platform', 'system_admins.invitation_accepted')).toMatchObject([
    { event: 'system_admins.member_left', actor: by(other), orgId: operatorOrg, outcome: 'done' },
  ])
})

/** The name of an organization, who is in it, and the invitations that open it. */
const stateOf = async (orgId: string) => ({
  names: await cp.db.selectFrom('organization').select('name').where('id', '=', orgId).execute(),
  members: await cp.db
    .selectFrom('member')
    .select(['userId', 'role'])
    .where('organizationId', '=', orgId)
    .orderBy('userId')
    .execute(),
  invitations: await cp.db
    .selectFrom('invitation')
    .innerJoin('invitation_secrets', 'invitation_id', 'id')
    .select(['id', 'status', 'secret_hash', 'link_hash'])
    .where('organizationId', '=', orgId)
    .orderBy('id')
    .execute(),
})

test('no member, role, name or invitation changes without its entry', async () => {
  verifies('security.member-audit')
  const [ada, bob, eve] = [await join('whole.test'), await join('whole.test'), await join('whole.test')]
  const orgId = await foundOrganization(ada, 'self-hosted')
  for (const person of [bob, eve]) await invite(ada, orgId, person, 'member')
  const [yes, no, late] = [await join('whole.test'), await join('whole.test'), await join('whole.test')]
  const accepted = await mailInvitation(ada, orgId, yes, 'member')
  const rejected = await mailInvitation(ada, orgId, no, 'member')
  const { invitationId } = await mailInvitation(ada, orgId, late, 'member')
  const { members } = (await ada.get('/api/settings')).body.organizations[0]
  const memberId = members.find(({ userId }: { userId: string }) => userId === bob.id).id
  const inOrganization = { organizationId: orgId }

  const changes: [string, () => ReturnType<typeof auth>][] = [
    ['renamed', () => auth(ada, 'update', { ...inOrganization, data: { name: 'Another' } })],
    ['invitation_sent', () => auth(ada, 'invite-member', { ...inOrganization, email: 'x@whole.test', role: 'admin' })],
    ['invitation_link_copied', () => ada.post(`/api/orgs/${orgId}/invitations/${invitationId}/link`)],
    ['invitation_canceled', () => auth(ada, 'cancel-invitation', { invitationId })],
    ['invitation_accepted', () => auth(yes, 'accept-invitation', accepted)],
    ['invitation_rejected', () => auth(no, 'reject-invitation', rejected)],
    ['role_changed', () => auth(ada, 'update-member-role', { ...inOrganization, memberId, role: 'admin' })],
    ['member_removed', () => auth(ada, 'remove-member', { ...inOrganization, memberIdOrEmail: bob.email })],
    ['member_left', () => auth(eve, 'leave', inOrganization)],
  ]
  for (const [name, make] of changes) {
    const event = `organization.${name}`
    const before = await stateOf(orgId)
    const refused = await whileRefused(cp.db, event, make)
    expect([name, refused.body.error?.code]).toEqual([name, 'database_unavailable'])
    expect([name, await stateOf(orgId)]).toEqual([name, before])

    expect([name, (await make()).status]).toEqual([name, 200])
    expect(await stateOf(orgId)).not.toEqual(before)
    const { entries } = (await ada.get(`/api/orgs/${orgId}/audit?limit=1`)).body
    expect(entries).toMatchObject([{ record: { event, orgId, outcome: 'done' } }])
  }
})

test('two admins who turn admission by domain on at once do so one after the other', async () => {
  verifies('security.member-audit')
  const [ada, bob] = [await join('alpha.test'), await join('beta.test')]
  const orgId = await foundOrganization(ada, 'self-hosted')
  await invite(ada, orgId, bob, 'admin')
  const { waiting, whileLocked } = handLocks(() => cp.db)
  const switchOn = (admin: Person) => admin.patch(`/api/orgs/${orgId}/auto-admit`, { enabled: true })
  const begun = await whileLocked(sql`select from organization where id = ${orgId} for update`, async () => {
    const running: ReturnType<typeof switchOn>[] = []
    for (const admin of [ada, bob]) {
      running.push(switchOn(admin))
      await waiting(running.length)
    }
    return () => Promise.all(running)
  })
  expect((await begun()).map(({ body }) => body.autoAdmit?.domain)).toEqual(['alpha.test', 'beta.test'])
  expect(await recordsOf(ada, `/api/orgs/${orgId}/audit`, 'organization.invitation_accepted')).toMatchObject([
    { event: 'organization.auto_admit_on', actor: by(ada) },
    { event: 'organization.auto_admit_on', actor: by(bob) },
  ])
})
