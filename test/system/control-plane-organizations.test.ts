import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '@svc/shared/wire/audit.api.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { listedVaults } from '../support/listed-vaults.ts'
import { mailedToken } from '../support/mailbox.ts'
import { PASSWORD, type Person } from '../support/person.ts'
import { until } from '../support/until.ts'

let cp: TestControlPlane
/** TXT records that the test's DNS returns. */
const records = new Map<string, string[]>()
beforeAll(async () => {
  cp = await startControlPlane({ working: true, resolveText: async (name) => records.get(name) ?? [] })
})
afterAll(() => cp.stop())

let count = 0
const join = async (domain = 'example.org'): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `person${(count += 1)}@${domain}`, name: `Person ${count}` })
  return person
}
/** Somebody whose address comes from a provider and is not confirmed. */
const joinUnconfirmed = async (domain?: string): Promise<Person> => {
  const person = await join(domain)
  await cp.unconfirm(person)
  return person
}
type Organization = { id: string; slug: string; name: string }
const found = async (admin: Person, name = `Acme ${(count += 1)}`): Promise<Organization> =>
  (await admin.post('/api/provisioning/orgs/self-hosted', { name })).body.organization
const foundHosted = async (admin: Person): Promise<Organization> =>
  (await admin.post('/api/provisioning/orgs/cloud-hosted/comped', { name: `Hosted ${(count += 1)}` })).body.organization
const organizationsOf = async (person: Person) => (await person.get('/api/settings')).body.organizations
const invite = (admin: Person, organizationId: string, email: string, role = 'member') =>
  admin.post('/api/auth/organization/invite-member', { organizationId, email, role })
/** The token in the mail for one invitation. The address may have received other invitations before. */
const invitationToken = async (address: string, invitationId: string): Promise<string> => {
  let link = ''
  const hasCome = async () => (link = (await cp.mailTo(address, 'invitation')).link).includes(invitationId)
  await until(`the invitation is mailed to ${address}`, hasCome)
  return mailedToken({ link })
}
const accept = async (invited: Person, invitationId: string, token?: string) =>
  invited.post('/api/auth/organization/accept-invitation', {
    invitationId,
    token: token ?? (await invitationToken(invited.email, invitationId)),
  })
/** Makes a person a member by invitation. */
const admit = async (admin: Person, organization: Organization, role = 'member'): Promise<Person> => {
  const person = await join()
  const { body } = await invite(admin, organization.id, person.email, role)
  expect((await accept(person, body.id)).status).toBe(200)
  return person
}
const memberIdOf = async (admin: Person, organization: Organization, person: Person): Promise<string> =>
  (await organizationsOf(admin))
    .find(({ id }: Organization) => id === organization.id)
    .members.find(({ userId }: { userId: string }) => userId === person.id).id
const setRole = async (admin: Person, organization: Organization, person: Person, role: unknown) =>
  admin.post('/api/auth/organization/update-member-role', {
    organizationId: organization.id,
    memberId: await memberIdOf(admin, organization, person),
    role,
  })

describe('provisioning', () => {
  test('a self-hosted organization comes with its admin and a key that is shown once', async () => {
    verifies('cp.provision-self-hosted', 'daemon-key.plaintext-once', 'daemon-key.hash-only', 'organization.id-prefix')
    const ada = await join()
    const created = await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Ünïted Värmland & Co' })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      ok: true,
      organization: { slug: 'united-varmland-co', name: 'Ünïted Värmland & Co', daemonMode: 'self_hosted' },
      apiKey: expect.stringMatching(/^svc_dmn_[0-9A-Za-z]{43}$/),
      daemonId: expect.stringMatching(/^dmn_/),
      relayUrl: `${cp.origin}/t/${created.body.organization.id}`,
    })
    expect(created.headers['cache-control']).toBe('no-store')
    const [organization] = await organizationsOf(ada)
    expect(organization).toMatchObject({
      role: 'admin',
      daemonMode: 'self_hosted',
      members: [{ userId: ada.id, role: 'admin' }],
      invitations: [],
      autoAdmit: { enabled: false },
    })
    const rows = await cp.db.selectFrom('daemon_keys').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(created.body.apiKey)
  })

  test('short names are unique: a chosen one is refused, a made one gets an ending', async () => {
    const ada = await join()
    await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Twin', slug: 'twin' })
    const chosen = await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Other', slug: 'twin' })
    expect([chosen.status, chosen.body.error.code]).toEqual([409, 'slug_taken'])
    const made = await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Twin' })
    expect(made.body.organization.slug).toMatch(/^twin-[a-z2-7]{4}$/)
    const unnameable = await ada.post('/api/provisioning/orgs/self-hosted', { name: '☃' })
    expect(unnameable.body.organization.slug).toMatch(/^org-[a-z2-7]{4}$/)
  })

  test('the relay registration is a member’s until there is a key, then the admins’', async () => {
    verifies('cp.relay-registration', 'error.relay-registration')
    const ada = await join()
    const organization = await found(ada)
    const member = await admit(ada, organization)
    const register = (person: Person, orgId: string) =>
      person.post(`/api/orgs/${orgId}/vaults/relay`, { name: 'notes' })
    expect((await register(member, organization.id)).body.error.code).toBe('forbidden')
    const registered = await register(ada, organization.id)
    expect(registered.body).toEqual({
      ok: true,
      apiKey: expect.stringMatching(/^svc_dmn_/),
      daemonId: expect.stringMatching(/^dmn_/),
    })
    await cp.db
      .updateTable('daemon_keys')
      .set({ revoked_at: new Date('2026-01-01') })
      .execute()
    expect((await register(member, organization.id)).status).toBe(200)
    const { entries } = (await ada.get(`/api/orgs/${organization.id}/audit?event=daemon_key.issued`)).body
    expect(entries.map(({ record: { actor, subject } }: AuditEntry) => [actor.id, subject])).toEqual(
      // The last is the key that came with the organization.
      [member.id, ada.id, ada.id].map((id) => [id, registered.body.daemonId]),
    )
    const hosted = await foundHosted(ada)
    expect((await register(ada, hosted.id)).body.error.code).toBe('not_self_hosted_daemon')
    expect((await ada.get(`/api/orgs/${hosted.id}/daemon/status`)).body.error.code).toBe('not_self_hosted_daemon')
    expect((await ada.get(`/api/orgs/${organization.slug}/hosted/status`)).body.error.code).toBe('not_hosted_daemon')
    expect(
      (await ada.post(`/api/orgs/${organization.id}/vaults/hosted`, { displayName: 'V', slug: 'vault' })).body.error
        .code,
    ).toBe('not_hosted_daemon')
  })

  test('the status of an organization’s daemon is known while it is offline', async () => {
    verifies('cp.daemon-status', 'cp.vaults')
    const ada = await join()
    const organization = await found(ada)
    expect((await ada.get(`/api/orgs/${organization.id}/daemon/status`)).body).toEqual({
      ok: true,
      daemon: { connected: false, tunnels: 0, lastSeenAt: null, instanceConflict: false },
    })
    expect(await listedVaults(() => ada.get('/api/vaults'))).toEqual({
      ok: true,
      organizations: [
        {
          orgId: organization.id,
          orgSlug: organization.slug,
          orgName: organization.name,
          daemonMode: 'self_hosted',
          state: 'offline',
          vaults: [],
        },
      ],
    })
  })
})

describe('invitations', () => {
  test('the invited person accepts with the mailed secret, once', async () => {
    verifies('cp.invite', 'security.invitations', 'organization.roles')
    const ada = await join()
    const organization = await found(ada)
    const bob = await join()
    const sent = await invite(ada, organization.id, bob.email.toUpperCase())
    expect(sent.body).toMatchObject({ id: expect.stringMatching(/^inv_/), email: bob.email, role: 'member' })
    const [view] = await organizationsOf(ada)
    expect(view.invitations).toEqual([expect.objectContaining({ id: sent.body.id, email: bob.email, role: 'member' })])

    const mail = await cp.mailTo(bob.email, 'invitation')
    expect(mail.link).toContain(`${cp.origin}/invitations/${sent.body.id}#token=`)
    const [stored] = await cp.db
      .selectFrom('invitation_secrets')
      .selectAll()
      .where('invitation_id', '=', sent.body.id)
      .execute()
    expect(stored?.secret_hash).not.toContain(mailedToken(mail))
    expect((await accept(bob, sent.body.id, 'x'.repeat(43))).body.error.code).toBe('invitation_invalid')
    expect(
      (await bob.post('/api/auth/organization/accept-invitation', { invitationId: sent.body.id })).body.error.code,
    ).toBe('invitation_invalid')
    const before = [...bob.cookies.values()].join()
    const all = await Promise.all([1, 2, 3].map(() => accept(bob, sent.body.id, mailedToken(mail))))
    expect(all.map(({ status }) => status).sort()[0]).toBe(200)
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect([...bob.cookies.values()].join()).not.toBe(before)
    expect((await accept(bob, sent.body.id, mailedToken(mail))).body.error.code).toBe('invitation_invalid')
    expect(await organizationsOf(bob)).toEqual([expect.objectContaining({ id: organization.id, role: 'member' })])
    expect((await organizationsOf(bob))[0].invitations).toBeUndefined()
  })

  test('not by another address, not after the inviter stepped down, not when it was canceled', async () => {
    const ada = await join()
    const organization = await found(ada)
    const second = await admit(ada, organization, 'admin')
    const other = await join()
    const bob = await join()
    const sent = await invite(second, organization.id, bob.email)
    const token = await invitationToken(bob.email, sent.body.id)
    expect((await accept(other, sent.body.id, token)).body.error.code).toBe('invitation_invalid')
    await setRole(ada, organization, second, 'member')
    expect((await accept(bob, sent.body.id, token)).body.error.code).toBe('invitation_invalid')

    const again = await invite(ada, organization.id, bob.email)
    expect(
      (await second.post('/api/auth/organization/cancel-invitation', { invitationId: again.body.id })).body.error.code,
    ).toBe('forbidden')
    expect(
      (await other.post('/api/auth/organization/cancel-invitation', { invitationId: again.body.id })).body.error.code,
    ).toBe('not_found')
    expect((await ada.post('/api/auth/organization/cancel-invitation', { invitationId: again.body.id })).status).toBe(
      200,
    )
    expect((await accept(bob, again.body.id)).body.error.code).toBe('invitation_invalid')
    expect(await organizationsOf(bob)).toEqual([])
  })

  test('a new invitation to the same address replaces the old one and its secret', async () => {
    const ada = await join()
    const organization = await found(ada)
    const bob = await join()
    const first = await invite(ada, organization.id, bob.email)
    const oldToken = await invitationToken(bob.email, first.body.id)
    const second = await invite(ada, organization.id, bob.email, 'admin')
    const newToken = await invitationToken(bob.email, second.body.id)
    expect((await accept(bob, first.body.id, oldToken)).body.error.code).toBe('invitation_invalid')
    expect((await accept(bob, second.body.id, oldToken)).body.error.code).toBe('invitation_invalid')
    expect((await accept(bob, second.body.id, newToken)).status).toBe(200)
    expect((await organizationsOf(bob))[0].role).toBe('admin')
    expect((await invite(ada, organization.id, bob.email)).body.code).toBe(
      'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
    )
  })

  const preview = (person: Person, id: string, token: string) =>
    person.post(`/api/invitations/${id}/preview`, { token })
  const account = (person: Person, id: string, token: string) =>
    person.post(`/api/invitations/${id}/account`, { token, name: 'Bo Newcomer', password: PASSWORD })

  test('the mailed link shows whose it is and makes a confirmed account that accepts at once', async () => {
    verifies('web.invitation-in-one-step')
    const ada = await join()
    const organization = await found(ada)
    const email = `newcomer-${(count += 1)}@example.net`
    const { id } = (await invite(ada, organization.id, email, 'admin')).body
    const token = await invitationToken(email, id)
    const nobody = cp.person()
    expect((await preview(nobody, id, token)).body.invitation).toEqual({
      organization: { name: organization.name },
      inviter: { name: (await ada.get('/api/settings')).body.profile.name },
      email,
      role: 'admin',
      expiresAt: expect.any(String),
      proven: true,
      hasAccount: false,
    })
    expect((await preview(nobody, id, 'x'.repeat(43))).body.error.code).toBe('invitation_invalid')
    expect((await account(nobody, id, 'x'.repeat(43))).body.error.code).toBe('invitation_invalid')
    expect(nobody.cookies.size).toBe(0)

    expect((await account(nobody, id, token)).status).toBe(200)
    const settings = (await nobody.get('/api/settings')).body
    expect(settings.profile).toMatchObject({ email, emailVerified: true, name: 'Bo Newcomer' })
    expect((await accept(nobody, id, token)).status).toBe(200)
    expect(await organizationsOf(nobody)).toEqual([expect.objectContaining({ id: organization.id, role: 'admin' })])
    const again = cp.person()
    again.email = email
    expect((await again.signIn()).status).toBe(200)
    expect((await account(cp.person(), id, token)).body.error.code).toBe('invitation_invalid')
  })

  test('an account that a stranger made for the address is taken from them, a confirmed one is not', async () => {
    verifies('web.invitation-in-one-step', 'security.invitations')
    const ada = await join()
    const organization = await found(ada)
    const stranger = cp.person()
    const email = `squatted-${(count += 1)}@example.net`
    await stranger.signUp({ email, password: 'the password of a stranger' })
    await cp.unconfirm(stranger)
    const { id } = (await invite(ada, organization.id, email)).body
    const token = await invitationToken(email, id)
    const owner = cp.person()
    expect((await account(owner, id, token)).status).toBe(200)
    expect((await stranger.get('/api/settings')).status).toBe(401)
    expect((await stranger.signIn('the password of a stranger')).status).toBe(401)

    const bob = await join()
    const second = (await invite(ada, organization.id, bob.email)).body.id
    const forBob = await invitationToken(bob.email, second)
    const taken = await account(cp.person(), second, forBob)
    expect(taken.body.error).toMatchObject({ code: 'invitation_invalid', details: { reason: 'account_exists' } })
    expect((await bob.get('/api/settings')).status).toBe(200)
    expect((await accept(bob, second, forBob)).status).toBe(200)
  })

  test('the link that an admin copies opens the invitation and proves no address', async () => {
    verifies('web.invitation-link')
    const ada = await join()
    const organization = await found(ada)
    const other = await found(ada)
    const email = `handed-${(count += 1)}@example.net`
    const { id } = (await invite(ada, organization.id, email)).body
    const mailed = await invitationToken(email, id)
    const copy = (person: Person, orgId: string) => person.post(`/api/orgs/${orgId}/invitations/${id}/link`)
    const member = await admit(ada, organization)
    expect((await copy(member, organization.id)).body.error.code).toBe('forbidden')
    expect((await copy(ada, other.id)).body.error.code).toBe('invitation_invalid')

    const { link } = (await copy(ada, organization.id)).body
    const copied = new URL(link).hash.replace('#token=', '')
    expect((await preview(cp.person(), id, copied)).body.invitation).toMatchObject({ email, proven: false })
    expect((await preview(cp.person(), id, copied)).body.invitation.hasAccount).toBeUndefined()
    expect((await account(cp.person(), id, copied)).body.error.code).toBe('invitation_invalid')
    expect((await preview(cp.person(), id, mailed)).body.invitation).toMatchObject({ proven: true })

    const bob = await join()
    expect((await accept(bob, id, copied)).body.error.code).toBe('invitation_invalid')
  })

  test('an expired invitation is not valid', async () => {
    const ada = await join()
    const organization = await found(ada)
    const bob = await join()
    const sent = await invite(ada, organization.id, bob.email)
    await cp.db
      .updateTable('invitation')
      .set({ expiresAt: new Date('2026-01-01') })
      .where('id', '=', sent.body.id)
      .execute()
    expect((await accept(bob, sent.body.id)).body.error.code).toBe('invitation_invalid')
  })
})

describe('roles', () => {
  test('only admin and member exist, also in the database', async () => {
    verifies('organization.roles', 'cp.change-role')
    const ada = await join()
    const organization = await found(ada)
    const bob = await admit(ada, organization)
    for (const role of ['owner', ['admin', 'member'], 'admin,member', '', null]) {
      const changed = await setRole(ada, organization, bob, role)
      expect([changed.status, changed.body.error?.code], JSON.stringify(role)).toEqual([400, 'invalid_request'])
      const invited = await invite(ada, organization.id, 'new@example.org', role as string)
      expect(invited.body.error?.details?.[0]?.path, JSON.stringify(role)).toBe('role')
    }
    const owner = cp.db
      .updateTable('member')
      .set({ role: 'owner' as never })
      .where('userId', '=', bob.id)
      .execute()
    await expect(owner).rejects.toThrow(/member_role/)
    expect((await setRole(ada, organization, bob, 'admin')).status).toBe(200)
    expect((await organizationsOf(bob))[0].role).toBe('admin')
  })

  test('members cannot do what admins do, and a removed member is an outsider', async () => {
    verifies('cp.remove-member', 'cp.organization-rename', 'auth.admin-routes')
    const ada = await join()
    const organization = await found(ada)
    const bob = await admit(ada, organization)
    const rename = (person: Person, data: object) =>
      person.post('/api/auth/organization/update', { organizationId: organization.id, data })
    const adaMember = await memberIdOf(ada, organization, ada)
    const remove = (person: Person, memberIdOrEmail: string) =>
      person.post('/api/auth/organization/remove-member', { organizationId: organization.id, memberIdOrEmail })
    expect((await rename(bob, { name: 'Bobland' })).body.error.code).toBe('forbidden')
    expect((await remove(bob, adaMember)).body.error.code).toBe('forbidden')
    expect((await invite(bob, organization.id, 'x@example.org')).body.error.code).toBe('forbidden')
    expect((await bob.patch(`/api/orgs/${organization.id}/auto-admit`, { enabled: true })).body.error.code).toBe(
      'forbidden',
    )
    expect((await bob.delete(`/api/orgs/${organization.id}`, { name: organization.name })).body.error.code).toBe(
      'forbidden',
    )

    for (const data of [
      { slug: 'taken' },
      { name: 'N', slug: 'taken' },
      { name: 'N', daemonMode: 'cloud_hosted' },
      { metadata: {} },
      {},
    ])
      expect((await rename(ada, data)).body.error?.code, JSON.stringify(data)).toBe('invalid_request')
    expect((await rename(ada, { name: 'Adaland' })).status).toBe(200)
    expect((await organizationsOf(bob))[0].name).toBe('Adaland')

    expect((await remove(ada, bob.email)).status).toBe(200)
    expect(await organizationsOf(bob)).toEqual([])
    expect((await rename(bob, { name: 'Bobland' })).body.error.code).toBe('not_found')
    expect((await remove(ada, bob.email)).body.error.code).toBe('not_found')
  })

  test('the last admin can be neither demoted nor removed', async () => {
    verifies('cp.last-admin')
    const ada = await join()
    const organization = await found(ada)
    await admit(ada, organization)
    const demoted = await setRole(ada, organization, ada, 'member')
    expect([demoted.status, demoted.body.error.code]).toEqual([409, 'last_admin'])
    const removed = await ada.post('/api/auth/organization/remove-member', {
      organizationId: organization.id,
      memberIdOrEmail: ada.email,
    })
    expect([removed.status, removed.body.error.code]).toEqual([409, 'last_admin'])
  })

  test('a member leaves and is not admitted again by itself; the last admin hands over first', async () => {
    verifies('cp.leave-organization')
    const ada = await join('leaving.test')
    const organization = await foundHosted(ada)
    await ada.patch(`/api/orgs/${organization.id}/auto-admit`, { enabled: true })
    const bob = await join('leaving.test')
    const leave = (person: Person) => person.post('/api/auth/organization/leave', { organizationId: organization.id })
    expect((await leave(ada)).body.error.code).toBe('last_admin')
    expect((await leave(await join())).body.error.code).toBe('not_found')

    expect((await leave(bob)).status).toBe(200)
    await bob.signIn()
    expect(await organizationsOf(bob)).toEqual([])
    const { entries } = (await ada.get(`/api/orgs/${organization.id}/audit?event=organization.member_left`)).body
    expect(entries.map(({ record }: { record: { actor: { id: string } } }) => record.actor.id)).toEqual([bob.id])

    const heir = await admit(ada, organization, 'admin')
    expect((await leave(ada)).status).toBe(200)
    expect(await organizationsOf(ada)).toEqual([])
    expect(await organizationsOf(heir)).toEqual([expect.objectContaining({ id: organization.id, role: 'admin' })])
  })

  test('two admins who step down at once: one of them stays, in each of 30 rounds', async () => {
    verifies('cp.last-admin')
    const ada = await join()
    const organization = await found(ada)
    const bob = await admit(ada, organization, 'admin')
    const ids = { ada: await memberIdOf(ada, organization, ada), bob: await memberIdOf(ada, organization, bob) }
    const change = (person: Person, memberId: string, role: string) =>
      person.post('/api/auth/organization/update-member-role', { organizationId: organization.id, memberId, role })
    const outcomes = new Set<string>()
    for (let round = 0; round < 30; round += 1) {
      const answers = await Promise.all([change(ada, ids.ada, 'member'), change(bob, ids.bob, 'member')])
      outcomes.add(
        answers
          .map(({ body, status }) => body.error?.code ?? status)
          .sort()
          .join(),
      )
      const admins = (await organizationsOf(ada))[0].members.filter(({ role }: { role: string }) => role === 'admin')
      expect(admins, `round ${round}`).toHaveLength(1)
      const [left] = admins
      await change(left.userId === ada.id ? ada : bob, left.userId === ada.id ? ids.bob : ids.ada, 'admin')
    }
    for (const outcome of outcomes) expect(['200,last_admin', '200,forbidden']).toContain(outcome)
    expect(outcomes).toContain('200,last_admin')
  })
})

describe('admission by domain', () => {
  test('binds the domain of the caller’s verified address; another organization meets a conflict', async () => {
    verifies('cp.auto-admit', 'cp.auto-admit-proof')
    const ada = await join('acme.test')
    const organization = await foundHosted(ada)
    const enable = (person: Person, orgId: string, enabled = true) =>
      person.patch(`/api/orgs/${orgId}/auto-admit`, { enabled })
    expect((await enable(ada, organization.id)).body).toEqual({
      ok: true,
      autoAdmit: { enabled: true, domain: 'acme.test' },
    })
    expect((await enable(ada, organization.id)).status).toBe(200)

    const rival = await join('acme.test')
    const rivalOrganization = await found(rival)
    const conflict = await enable(rival, rivalOrganization.id)
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'domain_conflict'])
    records.set('_svc-admit.acme.test', [`svc-org=${rivalOrganization.id}`])
    expect((await enable(rival, rivalOrganization.id)).status).toBe(200)
    expect((await organizationsOf(ada)).find(({ id }: Organization) => id === organization.id).autoAdmit).toEqual({
      enabled: false,
    })
    expect((await enable(ada, organization.id)).status).toBe(409)
    expect((await enable(rival, rivalOrganization.id, false)).body.autoAdmit).toEqual({ enabled: false })
    records.clear()
    expect((await enable(ada, organization.id)).status).toBe(200)
  })

  test('refuses public mail domains and unverified addresses', async () => {
    verifies('cp.auto-admit-own-domain')
    for (const domain of ['gmail.com', 'yahoo.com.mx']) {
      const person = await join(domain)
      const organization = await found(person)
      const publicDomain = await person.patch(`/api/orgs/${organization.id}/auto-admit`, { enabled: true })
      expect(publicDomain.status).toBe(403)
      expect(publicDomain.body.error).toMatchObject({
        code: 'forbidden',
        message: 'This domain counts as one of a public mail service. Invite people instead.',
        details: { reason: 'public_domain' },
      })
    }
    const unverified = await joinUnconfirmed('unproven.test')
    const other = await found(unverified)
    const refused = await unverified.patch(`/api/orgs/${other.id}/auto-admit`, { enabled: true })
    expect(refused.body.error).toMatchObject({ code: 'forbidden', details: { reason: 'email_not_verified' } })
  })

  test('a public mail domain that was bound before it was known as one shows as off and lets nobody in', async () => {
    verifies('cp.auto-admit-own-domain')
    const domain = 'yahoo.com.mx'
    const [ada, bob] = [await join(domain), await join(domain)]
    const organization = await found(ada)
    const at = new Date()
    const bound = { domain, organization_id: organization.id, claimed_by: ada.id, claimed_at: at }
    await cp.db.insertInto('auto_admit_domains').values(bound).execute()
    const offered = { user_id: bob.id, email: bob.email, state: 'offered' as const, decided_at: at }
    await cp.db
      .insertInto('admissions')
      .values({ organization_id: organization.id, ...offered })
      .execute()

    expect((await organizationsOf(ada))[0].autoAdmit).toEqual({ enabled: false })
    expect((await bob.get('/api/settings')).body.admissionOffers).toEqual([])
    const accepted = await bob.post(`/api/settings/admission-offers/${organization.id}`, { accept: true })
    expect([accepted.status, await organizationsOf(bob)]).toEqual([404, []])
  })

  test('a hosted organization admits once: removal is final', async () => {
    verifies('cp.auto-admit-once')
    const ada = await join('hosted.test')
    const organization = await foundHosted(ada)
    const bob = await joinUnconfirmed('hosted.test')
    await ada.patch(`/api/orgs/${organization.id}/auto-admit`, { enabled: true })
    await bob.signIn()
    expect(await organizationsOf(bob)).toEqual([])
    await bob.post('/api/auth/send-verification-email', { email: bob.email })
    const token = mailedToken(await cp.mailTo(bob.email, 'verify-email'))
    expect((await bob.post('/api/auth/verify-email', { token })).status).toBe(200)
    expect(await organizationsOf(bob)).toEqual([expect.objectContaining({ id: organization.id, role: 'member' })])
    await ada.post('/api/auth/organization/remove-member', {
      organizationId: organization.id,
      memberIdOrEmail: bob.email,
    })
    await bob.signIn()
    expect(await organizationsOf(bob)).toEqual([])
  })

  test('a self-hosted organization asks first', async () => {
    verifies('cp.auto-admit-asks')
    const ada = await join('own-daemon.test')
    const organization = await found(ada)
    await ada.patch(`/api/orgs/${organization.id}/auto-admit`, { enabled: true })
    const [yes, no] = [await join('own-daemon.test'), await join('own-daemon.test')]
    const offers = async (person: Person) => (await person.get('/api/settings')).body.admissionOffers
    expect(await offers(yes)).toEqual([
      {
        organization: { id: organization.id, slug: organization.slug, name: organization.name },
        domain: 'own-daemon.test',
      },
    ])
    expect(await organizationsOf(yes)).toEqual([])
    const answer = (person: Person, accept: boolean) =>
      person.post(`/api/settings/admission-offers/${organization.id}`, { accept })
    expect((await answer(no, false)).status).toBe(200)
    expect((await answer(yes, true)).status).toBe(200)
    expect(await organizationsOf(yes)).toEqual([expect.objectContaining({ id: organization.id, role: 'member' })])
    await no.signIn()
    expect([await organizationsOf(no), await offers(no)]).toEqual([[], []])
    expect((await answer(no, true)).body.error.code).toBe('not_found')
  })

  test('an offer stands only while the organization admits the domain and is not being deleted', async () => {
    verifies('cp.auto-admit-asks')
    const ada = await join('withdrawn.test')
    const organization = await found(ada)
    const enable = (enabled: boolean) => ada.patch(`/api/orgs/${organization.id}/auto-admit`, { enabled })
    await enable(true)
    const bob = await join('withdrawn.test')
    const offers = async () => (await bob.get('/api/settings')).body.admissionOffers
    const accepted = async () =>
      (await bob.post(`/api/settings/admission-offers/${organization.id}`, { accept: true })).status
    expect(await offers()).toHaveLength(1)

    await enable(false)
    expect([await offers(), await accepted(), await organizationsOf(bob)]).toEqual([[], 404, []])

    const carol = await join('elsewhere.test')
    const membership = { id: newId('mem_'), organizationId: organization.id, userId: carol.id, role: 'admin' as const }
    await cp.db
      .insertInto('member')
      .values({ ...membership, createdAt: new Date() })
      .execute()
    expect((await carol.patch(`/api/orgs/${organization.id}/auto-admit`, { enabled: true })).status).toBe(200)
    expect([await offers(), await accepted()], 'of another domain').toEqual([[], 404])

    await enable(true)
    const deletion = { organization_id: organization.id, operation_id: newId('test-'), requested_by: ada.id }
    await cp.db
      .insertInto('organization_deletions')
      .values({ ...deletion, requested_at: new Date() })
      .execute()
    expect([await offers(), await accepted()], 'while it is deleted').toEqual([[], 404])
    await cp.db.deleteFrom('organization_deletions').where('organization_id', '=', organization.id).execute()
    expect([(await offers()).length, await accepted(), (await organizationsOf(bob)).length]).toEqual([1, 200, 1])
  })
})

describe('deletion', () => {
  test('needs the exact name and leaves nothing of a self-hosted organization', async () => {
    verifies('cp.delete-organization')
    const ada = await join()
    const organization = await found(ada)
    const remove = (name: string) => ada.delete(`/api/orgs/${organization.id}`, { name })
    for (const name of ['', organization.name.toLowerCase(), ` ${organization.name}`, organization.slug])
      expect((await remove(name)).body.error.code, name).toBe('confirmation_mismatch')
    expect((await remove(organization.name)).body).toEqual({ ok: true })
    expect((await remove(organization.name)).body.error.code).toBe('not_found')
    expect(await organizationsOf(ada)).toEqual([])
    const left = await cp.db.selectFrom('daemons').select('id').where('org_id', '=', organization.id).execute()
    expect(left).toEqual([])
    const stone = await cp.db
      .selectFrom('organization_tombstones')
      .selectAll()
      .where('org_id', '=', organization.id)
      .execute()
    expect(stone).toHaveLength(1)
  })

  test('is blocked by payment history and by a running operation', async () => {
    verifies('cp.delete-organization')
    const ada = await join()
    const organization = await found(ada)
    const remove = () => ada.delete(`/api/orgs/${organization.id}`, { name: organization.name })
    const at = new Date()
    await cp.db
      .insertInto('operations')
      .values({
        operation_id: 'op-12345678',
        org_id: organization.id,
        action: 'comped_grant',
        actor_kind: 'user',
        actor_id: ada.id,
        reason: 'test',
        input: '{}',
        state: 'requested',
        requested_at: at,
        updated_at: at,
      })
      .execute()
    expect((await remove()).body.error.code).toBe('organization_busy')
    await cp.db.deleteFrom('operations').execute()
    await cp.db
      .insertInto('billing_payments')
      .values({ payment_id: 'pay-1', org_id: organization.id, amount_minor: 100, currency: 'EUR', paid_at: at })
      .execute()
    expect((await remove()).body.error.code).toBe('organization_has_payment_history')
    expect(await organizationsOf(ada)).toHaveLength(1)
  })

  test('is blocked while a grant executes, and no longer once the grant has failed', async () => {
    verifies('claim.grant-blocks')
    const ada = await join()
    const organization = await found(ada)
    const remove = () => ada.delete(`/api/orgs/${organization.id}`, { name: organization.name })
    const at = new Date()
    const grant = { operation_id: `op-${organization.id}`, org_id: organization.id, action: 'comped_grant' as const }
    const asked = { actor_kind: 'user' as const, actor_id: ada.id, reason: 'test', input: '{}' }
    await cp.db
      .insertInto('operations')
      .values({ ...grant, ...asked, state: 'executing', requested_at: at, updated_at: at })
      .execute()
    expect((await remove()).body.error.code).toBe('organization_busy')
    expect(await organizationsOf(ada)).toHaveLength(1)

    await cp.db
      .updateTable('operations')
      .set({ state: 'failed', finished_at: at, failure_code: 'operation_failed' })
      .where('operation_id', '=', grant.operation_id)
      .execute()
    // On a slow machine the deletion may still be in progress. The request is not refused any more, and that is what
    // counts.
    expect(['operation_in_progress', undefined]).toContain((await remove()).body.error?.code)
  })
})

describe('outsiders', () => {
  test('an organization of others and one that is not there answer alike', async () => {
    verifies('error.not-found-alike', 'auth.admin-routes')
    const ada = await join()
    const organization = await found(ada)
    const eve = await join()
    const unknown = { id: `org_${'a'.repeat(24)}`, slug: 'no-such-org' }
    const calls = ({ id, slug }: { id: string; slug: string }): [string, string, unknown?][] => [
      ['GET', `/api/orgs/${id}/daemon/status`],
      ['GET', `/api/orgs/${id}/api-key`],
      ['POST', `/api/orgs/${id}/api-key`, {}],
      ['POST', `/api/orgs/${id}/api-key/rotate`, {}],
      ['PATCH', `/api/orgs/${id}/auto-admit`, { enabled: true }],
      ['DELETE', `/api/orgs/${id}`, { name: organization.name }],
      ['POST', `/api/orgs/${id}/vaults/relay`, { name: 'x' }],
      ['POST', `/api/orgs/${id}/vaults/hosted`, { displayName: 'x', slug: 'xx' }],
      ['GET', `/api/orgs/${slug}/hosted/status`],
      ['POST', `/api/orgs/${slug}/vaults/notes/entry`, {}],
      ['POST', '/api/auth/organization/update', { organizationId: id, data: { name: 'x' } }],
      ['POST', '/api/auth/organization/invite-member', { organizationId: id, email: 'a@example.org', role: 'member' }],
      ['POST', '/api/auth/organization/remove-member', { organizationId: id, memberIdOrEmail: ada.email }],
      ['POST', '/api/auth/organization/update-member-role', { organizationId: id, memberId: 'mem_x', role: 'admin' }],
    ]
    const theirs = calls(organization)
    for (const [index, [method, path, body]] of calls(unknown).entries()) {
      const strip = ({ status, body }: Awaited<ReturnType<Person['get']>>) => ({
        status,
        ...body?.error,
        requestId: '',
      })
      const absent = strip(await eve.send(method, path, { body }))
      const foreign = strip(await eve.send(method, theirs[index]![1], { body: theirs[index]![2] }))
      expect(foreign, path).toEqual(absent)
      expect(foreign, path).toMatchObject({ status: 404, code: 'not_found' })
      const nobody = await cp.person().send(method, theirs[index]![1], { body: theirs[index]![2] })
      expect(nobody.body?.error?.code, path).toBe('unauthenticated')
    }
  })
})

describe('the vault origin', () => {
  const generation = async (orgId: string): Promise<number | undefined> =>
    (await cp.db.selectFrom('vault_origins').select('generation').where('org_id', '=', orgId).executeTakeFirst())
      ?.generation

  test('is new after a reset and after an immediate rotation, not after one with grace; the audit says who reset it', async () => {
    verifies('security.vault-origin-reset', 'audit.organization')
    const ada = await join()
    const organization = await found(ada)
    const before = await cp.entry.origins.originOf(organization.id)
    expect((await ada.post(`/api/orgs/${organization.id}/vault-origin/reset`)).body).toEqual({ ok: true })
    expect(await cp.entry.origins.originOf(organization.id)).not.toBe(before)
    const afterReset = await generation(organization.id)

    const rotate = (immediate: boolean) => ada.post(`/api/orgs/${organization.id}/api-key/rotate`, { immediate })
    const graced = await rotate(false)
    expect(Date.parse(graced.body.oldKeyWorksUntil)).toBeGreaterThan(Date.now() + 9 * 60_000)
    expect(await generation(organization.id)).toBe(afterReset)
    expect((await rotate(true)).body.oldKeyWorksUntil).toBeNull()
    expect(await generation(organization.id)).toBe(Number(afterReset) + 1)

    const audit = (await ada.get(`/api/orgs/${organization.id}/audit?event=vault_origin`)).body
    expect(audit.entries.map(({ record }: { record: object }) => record)).toEqual([
      expect.objectContaining({
        event: 'vault_origin.reset',
        actor: { kind: 'user', id: ada.id },
        orgId: organization.id,
      }),
    ])
  })
})
