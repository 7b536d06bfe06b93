import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '@svc/shared/wire/audit.api.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { removedAddressesRepository } from '../../control-plane/src/organizations/removed-addresses.repository.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { deleteOrganization } from '../support/delete-organization.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Answer, Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const AUTH_SECRET = 'the-secret-of-the-membership-tests-that-is-long-enough'

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane({ working: true, environment: { AUTH_SECRET } })
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
const found = async (admin: Person): Promise<Organization> =>
  (await admin.post('/api/provisioning/orgs/self-hosted', { name: `Acme ${next()}` })).body.organization
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
/** Makes a person a member by invitation. */
const admit = async (admin: Person, organization: Organization, role = 'member'): Promise<Person> => {
  const person = await join()
  expect((await accept(person, await invite(admin, organization, person.email, role))).status).toBe(200)
  return person
}
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

describe('an organization with more than a thousand members', () => {
  /** More rows than the sign-in library reads by default, inserted before those of the other admins. */
  const addMembers = async ({ id: organizationId }: Organization, members: number) => {
    const createdAt = new Date()
    const ids = Array.from({ length: members }, () => newId('usr_'))
    const users = ids.map((id) => ({
      id,
      name: 'Member',
      email: `${id.toLowerCase()}@example.net`,
      emailVerified: true,
      image: null,
      createdAt,
      updatedAt: createdAt,
    }))
    const rows = ids.map((userId) => ({
      id: newId('mem_'),
      organizationId,
      userId,
      role: 'member' as const,
      createdAt,
    }))
    await cp.db.insertInto('user').values(users).execute()
    await cp.db.insertInto('member').values(rows).execute()
  }
  /** Makes a person an admin by a row at the end of the table. */
  const addAdmin = async ({ id: organizationId }: Organization) => {
    const person = await join()
    const row = { id: newId('mem_'), organizationId, userId: person.id, role: 'admin' as const, createdAt: new Date() }
    await cp.db.insertInto('member').values(row).execute()
    return person
  }
  const remove = async (admin: Person, organization: Organization, person: Person) =>
    change(admin, 'remove-member', {
      organizationId: organization.id,
      memberIdOrEmail: await memberIdOf(organization, person),
    })
  const leave = (person: Person, { id }: Organization) => change(person, 'leave', { organizationId: id })

  test('lets an admin step down, leave or be removed while there is another one, wherever that one is listed', async () => {
    verifies('organization.roles')
    const ada = await join()
    const organization = await found(ada)
    await addMembers(organization, 1_100)
    const [bea, cid] = [await addAdmin(organization), await addAdmin(organization)]

    expect((await setRole(ada, organization, ada, 'member')).status).toBe(200)
    expect((await setRole(bea, organization, ada, 'admin')).status).toBe(200)
    expect((await remove(ada, organization, bea)).status).toBe(200)
    expect((await leave(ada, organization)).status).toBe(200)
    expect(codeIn(await leave(cid, organization))).toBe('last_admin')
    expect(codeIn(await setRole(cid, organization, cid, 'member'))).toBe('last_admin')
    expect(codeIn(await remove(cid, organization, cid))).toBe('last_admin')
    expect(await roleOf(cid, organization)).toBe('admin')
  })

  test('admits nobody else by invitation, and one who is a member gets the role', async () => {
    verifies('cp.invite')
    const ada = await join()
    const organization = await found(ada)
    const [bob, eve] = [await join(), await join()]
    const [forBob, forEve] = [await invite(ada, organization, bob.email), await invite(ada, organization, eve.email, 'admin')] // prettier-ignore
    await addMembers(organization, 998)
    const createdAt = new Date()
    const row = {
      id: newId('mem_'),
      organizationId: organization.id,
      userId: eve.id,
      role: 'member' as const,
      createdAt,
    }
    await cp.db.insertInto('member').values(row).execute()

    const refused = await accept(bob, forBob)
    expect([refused.status, codeIn(refused)]).toEqual([403, 'forbidden'])
    expect((await accept(eve, forEve)).status).toBe(200)
    expect(await roleOf(eve, organization)).toBe('admin')
    await cp.db.deleteFrom('member').where('userId', '=', eve.id).execute()
    expect((await accept(bob, forBob)).status, 'the invitation is still pending').toBe(200)
  })
})

describe('an invitation whose inviter is no longer an admin', () => {
  const inviteAndStepDown = async () => {
    const ada = await join()
    const organization = await found(ada)
    const inviter = await admit(ada, organization, 'admin')
    const bob = await join()
    const invitation = await invite(inviter, organization, bob.email)
    return { ada, organization, inviter, bob, invitation }
  }
  const pendingOf = async (admin: Person) =>
    (await organizationsOf(admin))[0].invitations.map(({ id }: Organization) => id)

  test('is valid again when another admin sends it again', async () => {
    verifies('security.invitations', 'cp.invite')
    const { ada, organization, inviter, bob, invitation } = await inviteAndStepDown()
    expect((await setRole(ada, organization, inviter, 'member')).status).toBe(200)
    expect(codeIn(await accept(bob, invitation))).toBe('invitation_invalid')
    expect(await pendingOf(ada)).toEqual([invitation.invitationId])

    const again = { organizationId: organization.id, email: bob.email, role: 'member', resend: true }
    const send = () => change(ada, 'invite-member', again)
    const { answer, mail, token } = await cp.mailedBy(bob.email, 'invitation', send)
    expect(answer.body.id).toBe(invitation.invitationId)
    expect(mail.link).toContain(invitation.invitationId)
    const seen = await cp.person().post(`/api/invitations/${invitation.invitationId}/preview`, { token })
    expect(seen.body.invitation.inviter.name).toBe((await ada.get('/api/settings')).body.profile.name)
    expect((await accept(bob, { ...invitation, token })).status).toBe(200)
    expect(await roleOf(bob, organization)).toBe('member')
    expect((await eventsOf(ada, organization, 'invitation_sent')).slice(0, 2)).toEqual([
      [ada.id, invitation.invitationId, 'done'],
      [inviter.id, invitation.invitationId, 'done'],
    ])
  })

  test('is valid again when another admin copies a link to it, which is audited', async () => {
    verifies('security.invitations', 'web.invitation-link')
    const { ada, organization, inviter, bob, invitation } = await inviteAndStepDown()
    const leaving = await change(inviter, 'leave', { organizationId: organization.id })
    expect(leaving.status).toBe(200)
    const copied = await ada.post(`/api/orgs/${organization.id}/invitations/${invitation.invitationId}/link`)
    const token = mailedToken(copied.body)
    expect((await accept(bob, { ...invitation, token })).status).toBe(200)
    expect(await roleOf(bob, organization)).toBe('member')
    expect(await eventsOf(ada, organization, 'invitation_link_copied')).toEqual([
      [ada.id, invitation.invitationId, 'done'],
    ])
  })

  test('stays valid when the admin who passed it on is still one', async () => {
    verifies('security.invitations')
    const { ada, organization, inviter, bob, invitation } = await inviteAndStepDown()
    await ada.post(`/api/orgs/${organization.id}/invitations/${invitation.invitationId}/link`)
    expect((await setRole(ada, organization, inviter, 'member')).status).toBe(200)
    expect((await accept(bob, invitation)).status).toBe(200)
  })
})

describe('a removal from an organization that admits the domain', () => {
  const remove = async (admin: Person, { id: organizationId }: Organization, person: Person) => {
    const removed = await change(admin, 'remove-member', { organizationId, memberIdOrEmail: person.email })
    expect(removed.status, removed.text).toBe(200)
  }
  const joinAndBeRemoved = async () => {
    const { admin, organization, domain } = await foundAdmitting()
    const person = await join(`mallory@${domain}`)
    expect(await roleOf(person, organization)).toBe('member')
    await remove(admin, organization, person)
    return { admin, organization, domain, person }
  }
  const deleteAccount = async (person: Person) => {
    const deleted = await person.delete('/api/settings/account', { confirmation: person.email })
    expect(deleted.status, deleted.text).toBe(200)
  }
  const moveTo = async (person: Person, email: string) => {
    const ask = () => person.post('/api/settings/email', { email })
    const { answer, token } = await cp.mailedBy(email, 'change-email', ask)
    expect(answer.status).toBe(200)
    expect((await person.post('/api/settings/email/confirm', { token })).status).toBe(200)
    person.email = email
    expect((await person.signIn()).status).toBe(200)
  }
  const stored = ({ id }: Organization) =>
    cp.db.selectFrom('removed_addresses').selectAll().where('organization_id', '=', id).execute()

  test('outlives the account; an invitation undoes it', async () => {
    verifies('cp.auto-admit-once', 'account.deletion')
    const { admin, organization, domain, person } = await joinAndBeRemoved()
    expect(await stored(organization), 'the account remembers').toEqual([])
    await deleteAccount(person)
    const rows = await stored(organization)
    expect(rows.map(({ address_hash }) => address_hash)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])

    const again = await join(person.email)
    await again.signIn()
    expect(await roleOf(again, organization)).toBeUndefined()
    const colleague = await join(`colleague@${domain}`)
    expect(await roleOf(colleague, organization), 'others are admitted').toBe('member')

    expect((await accept(again, await invite(admin, organization, again.email))).status).toBe(200)
    expect(await roleOf(again, organization)).toBe('member')
    expect(await stored(organization)).toEqual([])
    await deleteAccount(again)
    expect(await roleOf(await join(again.email), organization), 'who was no longer removed').toBe('member')
  })

  test('also holds for another address of the person, and for another account of the address', async () => {
    verifies('cp.auto-admit-once')
    const { organization, domain, person } = await joinAndBeRemoved()
    const old = person.email
    await moveTo(person, `mallory-two@${domain}`)
    expect(await roleOf(person, organization)).toBeUndefined()
    expect(await roleOf(await join(old), organization)).toBeUndefined()
    await deleteAccount(person)
    expect(await roleOf(await join(person.email), organization)).toBeUndefined()
  })

  test('does not follow from deleting the account of a member', async () => {
    verifies('cp.auto-admit-once')
    const { organization, domain } = await foundAdmitting()
    const person = await join(`comes-back@${domain}`)
    await deleteAccount(person)
    expect(await stored(organization)).toEqual([])
    expect(await roleOf(await join(person.email), organization)).toBe('member')
  })

  test('does not follow from an older removal of somebody who is a member again', async () => {
    verifies('cp.auto-admit-once')
    const { organization, domain } = await foundAdmitting()
    const person = await join(`returned@${domain}`)
    // Earlier versions left the decision as it was when an invitation was accepted.
    await cp.db.updateTable('admissions').set({ state: 'removed' }).where('user_id', '=', person.id).execute()
    await deleteAccount(person)
    expect(await stored(organization)).toEqual([])
    expect(await roleOf(await join(person.email), organization)).toBe('member')
  })

  test('ends an older offer to another address of the person', async () => {
    verifies('cp.auto-admit-once')
    const { organization, domain, person } = await joinAndBeRemoved()
    const other = `mallory-offered@${domain}`
    const decided_at = new Date()
    const offer = { organization_id: organization.id, user_id: person.id, email: other, decided_at }
    await cp.db
      .insertInto('admissions')
      .values({ ...offer, state: 'offered' })
      .execute()
    await moveTo(person, other)
    expect((await person.get('/api/settings')).body.admissionOffers).toEqual([])
    const accepted = await person.post(`/api/settings/admission-offers/${organization.id}`, { accept: true })
    expect(accepted.status).toBe(404)
    expect(await roleOf(person, organization)).toBeUndefined()
  })

  test('is kept for a year, and while the secret that it is keyed with is configured', async () => {
    verifies('cp.auto-admit-once')
    const { organization, person } = await joinAndBeRemoved()
    await deleteAccount(person)
    const address = { orgId: organization.id, email: person.email.toUpperCase() }
    const open = (authSecret: string, authSecretPrevious?: string, later = 0) =>
      removedAddressesRepository({
        db: cp.db,
        clock: { now: () => new Date(Date.now() + later) },
        authSecret: new Secret(authSecret),
        authSecretPrevious: authSecretPrevious === undefined ? undefined : new Secret(authSecretPrevious),
      })
    expect(await open(AUTH_SECRET).has(address)).toBe(true)
    expect(await open('another secret', AUTH_SECRET).has(address)).toBe(true)
    expect(await open('another secret').has(address)).toBe(false)
    expect(await open(AUTH_SECRET).has({ ...address, orgId: newId('org_') })).toBe(false)

    await open(AUTH_SECRET, undefined, 364 * 86_400_000).deleteExpired()
    expect(await open(AUTH_SECRET).has(address)).toBe(true)
    await open(AUTH_SECRET, undefined, 366 * 86_400_000).deleteExpired()
    expect(await open(AUTH_SECRET).has(address)).toBe(false)
  })
})

test('the only admin of an organization in deletion can delete the account, and the deletion goes on', async () => {
  verifies('account.deletion', 'cp.delete-organization')
  const { admin, organization } = await foundAdmitting()
  const daemonOf = async () => (await cp.store.list()).find(({ spec }) => spec.orgId === organization.id)
  await until('the daemon has its resource', async () => (await daemonOf()) !== undefined)
  const deleteAccount = () => admin.delete('/api/settings/account', { confirmation: admin.email })
  expect(codeIn(await deleteAccount()), 'while the organization lives').toBe('last_admin')

  await deleteOrganization(admin, organization)
  await until('the resource is marked', async () => (await daemonOf())?.deletedAt !== undefined)
  const deleted = await deleteAccount()
  expect([deleted.status, deleted.body]).toEqual([200, { ok: true }])
  const rows = () => cp.db.selectFrom('organization').select('id').where('id', '=', organization.id).execute()
  expect(await rows(), 'the infrastructure is still there').toHaveLength(1)

  const going = (await daemonOf())!
  await cp.store.release(going.name, going.resourceVersion)
  await until('the organization is gone', async () => (await rows()).length === 0)
  const stones = cp.db.selectFrom('organization_tombstones').selectAll().where('org_id', '=', organization.id)
  expect(await stones.execute()).toHaveLength(1)
})

test('all other sessions end, however many there are', async () => {
  const ada = await join()
  const [now, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)]
  const rows = Array.from({ length: 130 }, () => ({
    id: newId('ses_'),
    token: newId('ses_'),
    userId: ada.id,
    expiresAt,
    createdAt: now,
    updatedAt: now,
    ipAddress: null,
    userAgent: null,
    activeOrganizationId: null,
  }))
  await cp.db.insertInto('session').values(rows).execute()
  expect((await ada.get('/api/auth/list-sessions')).body).toHaveLength(131)
  expect((await ada.post('/api/auth/revoke-other-sessions')).status).toBe(200)
  const left = await cp.db.selectFrom('session').select('id').where('userId', '=', ada.id).execute()
  expect(left).toHaveLength(1)
  expect((await ada.get('/api/settings')).status).toBe(200)
})
