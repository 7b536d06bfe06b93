import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { mailedToken } from '../support/mailbox.ts'
import { PASSWORD, type Answer, type Person } from '../support/person.ts'

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane({ clock: hurriedClock(25) })
})
afterAll(() => cp.stop())

let count = 0
const join = async (): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `mover${(count += 1)}@example.org`, name: `Mover ${count}` })
  return person
}
const codeIn = ({ body }: Answer): unknown => body?.error?.code
const isSignedIn = async (person: Person) => (await person.get('/api/settings')).status === 200
const as = (email: string) => Object.assign(cp.person(), { email })
const found = async (userId: string, table: 'session' | 'account' | 'member') =>
  (await cp.db.selectFrom(table).select('id').where('userId', '=', userId).execute()).length
const addOrganization = async (person: Person, name: string) =>
  (await person.post('/api/provisioning/orgs/self-hosted', { name })).body.organization as { id: string; slug: string }
const invite = async (admin: Person, organizationId: string, email: string, role = 'member') => {
  const { body } = await admin.post('/api/auth/organization/invite-member', { organizationId, email, role })
  return { invitationId: body.id as string, token: mailedToken(await cp.mailTo(email, 'invitation')) }
}
const askChange = async (person: Person, email: string) => {
  const ask = () => person.post('/api/settings/email', { email })
  const { answer, token } = await cp.mailedBy(email, 'change-email', ask)
  expect(answer.status).toBe(200)
  return token
}

test('the new address is confirmed by its link; every session ends, and both addresses are told', async () => {
  verifies('account.email-change', 'security.credential-change')
  const person = await join()
  const [old, to] = [person.email, `new-${person.email}`]
  const token = await askChange(person, to.toUpperCase().toLowerCase())
  expect((await person.get('/api/settings')).body.profile.email, 'nothing has changed yet').toBe(old)

  const stranger = await join()
  expect(codeIn(await stranger.post('/api/settings/email/confirm', { token }))).toBe('forbidden')
  expect((await person.post('/api/settings/email/confirm', { token })).status).toBe(200)
  expect(await isSignedIn(person)).toBe(false)
  expect((await as(old).signIn()).status).toBe(401)
  const moved = as(to)
  expect((await moved.signIn()).status).toBe(200)
  expect((await moved.get('/api/settings')).body.profile).toMatchObject({ email: to, emailVerified: true })
  expect((await cp.mailTo(old, 'email-changed')).text).toContain('/email-change/undo')
  expect(codeIn(await moved.post('/api/settings/email/confirm', { token })), 'once').toBe('link_invalid')
})

test('the old address undoes it, whoever is signed in by then, and once', async () => {
  verifies('account.email-change')
  const person = await join()
  const [old, to] = [person.email, `thief-${person.email}`]
  await person.post('/api/settings/email/confirm', { token: await askChange(person, to) })
  const token = mailedToken(await cp.mailTo(old, 'email-changed'))
  const thief = as(to)
  await thief.signIn()
  await thief.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: 'chosen by the thief' })

  const undone = await cp.person().post('/api/auth/email-change/undo', { token })
  expect([undone.status, undone.body]).toEqual([200, { ok: true, email: old }])
  expect(await isSignedIn(thief)).toBe(false)
  expect((await as(to).signIn('chosen by the thief')).status).toBe(401)
  expect(codeIn(await cp.person().post('/api/auth/email-change/undo', { token }))).toBe('link_invalid')
})

test('an address with an account is answered like any other, and its owner is told', async () => {
  verifies('account.email-change')
  const [person, owner] = [await join(), await join()]
  const answers = [
    await person.post('/api/settings/email', { email: owner.email }),
    await person.post('/api/settings/email', { email: `free-${person.email}` }),
  ]
  expect(answers.map(({ status, text }) => [status, text])).toEqual([
    [200, '{"ok":true}'],
    [200, '{"ok":true}'],
  ])
  expect((await cp.mailTo(owner.email, 'address-taken')).subject).toContain('account')
})

test('an address that got an account since is not taken over, and a newer request ends the older link', async () => {
  verifies('account.email-change')
  const person = await join()
  const to = `contested-${person.email}`
  const first = await askChange(person, to)
  await cp.person().signUp({ email: to })
  expect(codeIn(await person.post('/api/settings/email/confirm', { token: first }))).toBe('link_invalid')
  const second = await askChange(person, `a-${to}`)
  const third = await askChange(person, `b-${to}`)
  expect(codeIn(await person.post('/api/settings/email/confirm', { token: second }))).toBe('link_invalid')
  // A new password invalidates links that were mailed before.
  await person.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: 'chosen by its owner' })
  expect(codeIn(await person.post('/api/settings/email/confirm', { token: third }))).toBe('link_invalid')
})

test('an invitation to the old address is no longer the person’s', async () => {
  verifies('account.email-change', 'security.invitations')
  const [admin, person] = [await join(), await join()]
  const { id } = await addOrganization(admin, 'Acme')
  const invitation = await invite(admin, id, person.email)
  const to = `gone-${person.email}`
  await person.post('/api/settings/email/confirm', { token: await askChange(person, to) })
  const moved = as(to)
  await moved.signIn()
  expect(codeIn(await moved.post('/api/auth/organization/accept-invitation', invitation))).toBe('invitation_invalid')
})

test('both need a sign-in of the last ten minutes', async () => {
  verifies('account.email-change', 'account.deletion')
  const person = await join()
  const earlier = new Date(Date.now() - 11 * 60_000)
  await cp.db.updateTable('session').set({ createdAt: earlier }).where('userId', '=', person.id).execute()
  expect(codeIn(await person.post('/api/settings/email', { email: 'x@example.org' }))).toBe('fresh_sign_in_required')
  const deletion = await person.delete('/api/settings/account', { confirmation: person.email })
  expect(codeIn(deletion)).toBe('fresh_sign_in_required')
})

test('the only admin of an organization hands over first, and is told which one', async () => {
  verifies('account.deletion')
  const person = await join()
  const { id, slug } = await addOrganization(person, 'Lonely Notes')
  const refused = await person.delete('/api/settings/account', { confirmation: person.email })
  expect([refused.status, codeIn(refused)]).toEqual([409, 'last_admin'])
  expect(refused.body.error.message).toContain('Lonely Notes')
  expect(refused.body.error.details).toEqual({ organizations: [{ slug, name: 'Lonely Notes' }] })
  expect(await isSignedIn(person)).toBe(true)

  const heir = await join()
  await heir.post('/api/auth/organization/accept-invitation', await invite(person, id, heir.email, 'admin'))
  expect(codeIn(await person.delete('/api/settings/account', { confirmation: 'Mover' }))).toBe('confirmation_mismatch')
  expect((await person.delete('/api/settings/account', { confirmation: person.email })).status).toBe(200)
  expect(await isSignedIn(person)).toBe(false)
  for (const table of ['session', 'account', 'member'] as const) expect(await found(person.id, table), table).toBe(0)
  expect((await cp.mailTo(person.email, 'account-deleted')).subject).toContain('deleted')

  // The audit still names the person who created the organization.
  const { body } = await heir.get(`/api/orgs/${id}/audit`)
  expect(body.names[person.id]).toEqual({ name: 'Mover ' + person.email.replace(/\D/g, '') })
  expect((await as(person.email).signIn()).status).toBe(401)
  expect((await cp.person().signUp({ email: person.email })).status, 'the address is free again').toBe(200)
})

test('an account is deleted while its new address is asked for', async () => {
  verifies('account.deletion', 'account.email-change')
  for (let time = 0; time < 8; time++) {
    const person = await join()
    await askChange(person, `first-${person.email}`)
    const ask = () => person.post('/api/settings/email', { email: `second-${person.email}` })
    const remove = () => person.delete('/api/settings/account', { confirmation: person.email })
    const [asked, removed] = await Promise.all([ask(), remove()])
    expect(removed.status).toBe(200)
    expect([200, 401]).toContain(asked.status)
  }
})

test('two last admins who delete their accounts at once leave one', async () => {
  verifies('account.deletion')
  const [one, other] = [await join(), await join()]
  const { id } = await addOrganization(one, 'Two Admins')
  await other.post('/api/auth/organization/accept-invitation', await invite(one, id, other.email, 'admin'))
  const answers = await Promise.all(
    [one, other].map((person) => person.delete('/api/settings/account', { confirmation: person.email })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(codeIn(answers.find(({ status }) => status === 409)!)).toBe('last_admin')
})
