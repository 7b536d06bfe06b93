import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { enrol } from '../support/authenticator.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { PASSWORD, type Answer, type Person } from '../support/person.ts'

let cp: TestControlPlane
let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider()
  cp = await startControlPlane({ clock: hurriedClock(25), environment: provider.environment })
})
afterAll(async () => {
  await cp.stop()
  await provider.stop()
})

let count = 0
const join = async (): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `owner${(count += 1)}@example.org` })
  return person
}
const codeIn = ({ body }: Answer): unknown => body?.error?.code
const as = (email: string) => Object.assign(cp.person(), { email })
const signedIn = async (email: string): Promise<Person> => {
  const person = as(email)
  expect((await person.signIn()).status).toBe(200)
  return person
}
const signedInByMail = async (email: string): Promise<Person> => {
  const person = as(email)
  const ask = () => person.post('/api/auth/sign-in/magic-link', { email })
  const { token } = await cp.mailedBy(email, 'magic-link', ask)
  expect((await person.post('/api/auth/magic-link/verify', { token })).status).toBe(200)
  return person
}
/** Signs in at the provider, which is trusted for acme.test; returns whose account this opens. */
const signInByProvider = async (email: string): Promise<string> => {
  const person = cp.person()
  const started = await person.post('/api/auth/sign-in/social', { provider: 'oidc', callbackURL: '/' })
  const profile = { sub: `sub-of-${email}`, email, email_verified: true, name: 'From Acme' }
  await person.get(provider.approve(started.body.url, profile))
  return (await person.get('/api/settings')).body.profile.id
}
const addPasskey = async ({ id: userId }: Person, name: string) => {
  const key = { id: newId('pky_'), userId, name, publicKey: 'key', credentialID: newId('cred_'), transports: null }
  await cp.db
    .insertInto('passkey')
    .values({ ...key, counter: 0, deviceType: 'singleDevice', backedUp: false, createdAt: new Date(), aaguid: null })
    .execute()
}
const passkeysOf = async ({ id }: Person) =>
  (await cp.db.selectFrom('passkey').select('name').where('userId', '=', id).execute()).map(({ name }) => name)
const resetPassword = async (email: string, newPassword: string) => {
  const ask = () => cp.person().post('/api/auth/request-password-reset', { email })
  const { token } = await cp.mailedBy(email, 'reset-password', ask)
  expect((await cp.person().post('/api/auth/reset-password', { token, newPassword })).status).toBe(200)
}
const emailOf = async ({ id }: Person) =>
  (await cp.db.selectFrom('user').select('email').where('id', '=', id).executeTakeFirstOrThrow()).email
const sessionsOf = ({ id }: Person) => cp.db.selectFrom('session').select('id').where('userId', '=', id).execute()
/** Moves the account to another address and returns the token of the link that undoes this. */
const move = async (person: Person, to: string): Promise<string> => {
  const asked = await cp.mailedBy(to, 'change-email', () => person.post('/api/settings/email', { email: to }))
  expect(asked.answer.status).toBe(200)
  const confirm = () => person.post('/api/settings/email/confirm', { token: asked.token })
  const confirmed = await cp.mailedBy(person.email, 'email-changed', confirm)
  expect(confirmed.answer.status).toBe(200)
  return confirmed.token
}
const undo = (token: string) => cp.person().post('/api/auth/email-change/undo', { token })
/** A thief in an open session moves the account twice. */
const steal = async () => {
  const owner = await join()
  const [a, b, c] = [owner.email, `b-${owner.email}`, `c-${owner.email}`]
  const toA = await move(owner, b)
  const toB = await move(await signedIn(b), c)
  return { owner, a, b, c, toA, toB }
}

test('a second change of address does not defeat the link that undoes the first', async () => {
  verifies('account.email-change')
  const { owner, a, c, toA, toB } = await steal()
  const thief = await signedIn(c)
  const undone = await undo(toA)
  expect([undone.status, undone.body]).toEqual([200, { ok: true, email: a }])
  expect(await emailOf(owner)).toBe(a)
  expect(await sessionsOf(owner)).toEqual([])
  expect((await thief.get('/api/settings')).status).toBe(401)

  expect(codeIn(await undo(toB)), 'the thief’s own link has ended').toBe('link_invalid')
  expect(codeIn(await undo(toA)), 'once').toBe('link_invalid')
  expect(await emailOf(owner)).toBe(a)
})

test('nor does it when the thief undoes the second change first, and changes the address again', async () => {
  verifies('account.email-change')
  const { owner, a, b, toA, toB } = await steal()
  expect((await undo(toB)).body).toEqual({ ok: true, email: b })
  const again = await move(await signedInByMail(b), `d-${a}`)
  expect((await undo(toA)).body).toEqual({ ok: true, email: a })
  expect(codeIn(await undo(again))).toBe('link_invalid')
  expect(await emailOf(owner)).toBe(a)
})

test('links undo in the order of the changes whichever clock they were made by', async () => {
  verifies('account.email-change')
  const { owner, a, toA, toB } = await steal()
  // A replica whose clock is ahead made the first two links.
  const ahead = new Date(Date.now() + 8 * 86_400_000)
  await cp.db.updateTable('email_changes').set({ expires_at: ahead }).where('user_id', '=', owner.id).execute()
  const thief = await signedIn(`c-${a}`)
  const third = await move(thief, `d-${a}`)
  expect((await undo(third)).status).toBe(200)
  expect((await undo(toA)).body).toEqual({ ok: true, email: a })
  expect(codeIn(await undo(toB))).toBe('link_invalid')
})

test('an address that another account has by now is named as the reason, and the link stays valid', async () => {
  verifies('account.email-change')
  const { owner, a, c, toA } = await steal()
  const other = cp.person()
  await other.signUp({ email: a })
  const refused = await undo(toA)
  expect([refused.status, codeIn(refused)]).toEqual([409, 'link_invalid'])
  expect(refused.body.error).toMatchObject({ details: { reason: 'account_exists' } })
  expect(refused.body.error.message).toContain('Another account has this address')
  expect(await emailOf(owner)).toBe(c)

  expect((await other.delete('/api/settings/account', { confirmation: a })).status).toBe(200)
  expect((await undo(toA)).body).toEqual({ ok: true, email: a })
})

test('links that are used at once leave the oldest address', async () => {
  verifies('account.email-change')
  const { owner, a, toA, toB } = await steal()
  const answers = await Promise.all([toB, toA, toB, toA].map(undo))
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  expect(await emailOf(owner)).toBe(a)
})

test('the link ends the password and every way to sign in that came after the change, and no older one', async () => {
  verifies('account.email-change', 'security.credential-change')
  const owner = await join()
  const thiefs = `thief-of-${owner.id}@acme.test`.toLowerCase()
  await addPasskey(owner, 'the owner’s')
  const old = owner.email
  const token = await move(owner, thiefs)
  const thief = Object.assign(await signedIn(thiefs), { id: owner.id })
  await addPasskey(thief, 'the thief’s')
  expect(await signInByProvider(thiefs)).toBe(owner.id)
  await enrol(thief, { db: cp.db, password: PASSWORD })

  expect((await undo(token)).body).toEqual({ ok: true, email: old })
  expect((await as(old).signIn()).status, 'the thief knows the password').toBe(401)
  expect(await passkeysOf(owner)).toEqual(['the owner’s'])
  expect(await signInByProvider(thiefs)).not.toBe(owner.id)
  await resetPassword(old, 'chosen by the owner')
  const restored = as(old)
  await restored.signIn('chosen by the owner')
  expect((await restored.get('/api/settings')).body).toMatchObject({
    profile: { id: owner.id, email: old },
    signIn: { twoFactor: false, password: true },
  })
})

test('the link keeps the authenticator app and the provider that the owner had', async () => {
  verifies('account.email-change')
  const old = 'owner-with-app@acme.test'
  const owner = as(old)
  owner.id = await signInByProvider(old)
  await resetPassword(old, PASSWORD)
  expect((await owner.signIn()).status).toBe(200)
  await enrol(owner, { db: cp.db, password: PASSWORD })
  const token = await move(owner, `moved-${old}`)
  expect((await undo(token)).status).toBe(200)
  const ways = await cp.db
    .selectFrom('user')
    .innerJoin('account', 'account.userId', 'user.id')
    .innerJoin('twoFactor', 'twoFactor.userId', 'user.id')
    .select(['providerId', 'twoFactorEnabled', 'verified'])
    .where('user.id', '=', owner.id)
    .execute()
  expect(ways).toEqual([{ providerId: 'oidc', twoFactorEnabled: true, verified: true }])
})
