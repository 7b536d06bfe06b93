import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '@svc/shared/wire/audit.api.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Answer, Person } from '../support/person.ts'
import { until } from '../support/until.ts'

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane({ working: true })
})
afterAll(() => cp.stop())

type Organization = { id: string; slug: string; name: string }

let count = 0
const next = () => (count += 1)
const join = async (email = `person${next()}@example.org`): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email, name: `Person ${next()}` })
  return person
}
const codeIn = ({ body }: Answer): unknown => body?.error?.code ?? body?.code
const organizationsOf = async (person: Person) => (await person.get('/api/settings')).body.organizations
const roleOf = async (person: Person, { id }: Organization): Promise<string | undefined> =>
  (await organizationsOf(person)).find((organization: Organization) => organization.id === id)?.role
const change = (person: Person, path: string, body: object) => person.post(`/api/auth/organization/${path}`, body)
const invite = async (admin: Person, { id }: Organization, email: string, role = 'member') => {
  const { body } = await change(admin, 'invite-member', { organizationId: id, email, role })
  return { invitationId: body.id as string, token: await tokenFor(email, body.id) }
}
/** The token in the mail for one invitation. The address may have received other invitations before. */
const tokenFor = async (address: string, invitationId: string): Promise<string> => {
  let link = ''
  const hasCome = async () => (link = (await cp.mailTo(address, 'invitation')).link).includes(invitationId)
  await until(`the invitation is mailed to ${address}`, hasCome)
  return mailedToken({ link })
}
const accept = (person: Person, invitation: { invitationId: string; token: string }) =>
  change(person, 'accept-invitation', invitation)
const memberIdOf = async ({ id }: Organization, person: Person): Promise<string> => {
  const ofPerson = cp.db.selectFrom('member').select('id').where('userId', '=', person.id)
  return (await ofPerson.where('organizationId', '=', id).executeTakeFirstOrThrow()).id
}
const setRole = async (admin: Person, organization: Organization, person: Person, role: string) =>
  change(admin, 'update-member-role', {
    organizationId: organization.id,
    memberId: await memberIdOf(organization, person),
    role,
  })
const eventsOf = async (admin: Person, { id }: Organization, event: string) =>
  (await admin.get(`/api/orgs/${id}/audit?event=organization.${event}`)).body.entries.map(
    ({ record: { actor, subject, outcome } }: AuditEntry) => [actor.id, subject, outcome],
  )

/** A hosted organization that admits a mail domain of its own. */
const foundAdmitting = async () => {
  const domain = `acme${next()}.test`
  const admin = await join(`admin@${domain}`)
  const answer = await admin.post('/api/provisioning/orgs/cloud-hosted/comped', { name: `Hosted ${next()}` })
  const organization: Organization = answer.body.organization
  expect((await admin.patch(`/api/orgs/${organization.id}/auto-admit`, { enabled: true })).status).toBe(200)
  return { admin, organization, domain }
}

describe('an invitation to somebody who was admitted by domain since', () => {
  test('as an admin makes the member an admin, once', async () => {
    verifies('cp.invite', 'organization.roles')
    const { admin, organization, domain } = await foundAdmitting()
    const email = `bob@${domain}`
    const invitation = await invite(admin, organization, email, 'admin')
    const bob = await join(email)
    expect(await roleOf(bob, organization)).toBe('member')

    const accepted = await accept(bob, invitation)
    expect([accepted.status, accepted.body]).toEqual([
      200,
      {
        invitation: expect.objectContaining({ id: invitation.invitationId, status: 'accepted', role: 'admin' }),
        member: expect.objectContaining({ userId: bob.id, organizationId: organization.id, role: 'admin' }),
      },
    ])
    expect(await roleOf(bob, organization)).toBe('admin')
    expect(await eventsOf(admin, organization, 'invitation_accepted')).toEqual([
      [bob.id, invitation.invitationId, 'done'],
    ])
    expect(codeIn(await accept(bob, invitation))).toBe('invitation_invalid')
    expect((await organizationsOf(admin))[0].invitations).toEqual([])
  })

  test('as a member leaves an admin an admin', async () => {
    verifies('cp.invite', 'organization.roles')
    const { admin, organization, domain } = await foundAdmitting()
    const email = `eve@${domain}`
    const invitation = await invite(admin, organization, email)
    const eve = await join(email)
    expect((await setRole(admin, organization, eve, 'admin')).status).toBe(200)
    expect((await accept(eve, invitation)).status).toBe(200)
    expect(await roleOf(eve, organization)).toBe('admin')
  })
})
