import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import * as removedAccounts from '../../control-plane/src/db/migrations/0036-removed-accounts.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Person } from '../support/person.ts'

// The provider is trusted for acme.test, so accounts with other addresses are unconfirmed.

let cp: TestControlPlane
let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider()
  cp = await startControlPlane({ environment: provider.environment })
})
afterAll(async () => {
  await cp.stop()
  await provider.stop()
})

const signInAs = async (person: Person, email: string) => {
  const started = await person.post('/api/auth/sign-in/social', {
    provider: 'oidc',
    callbackURL: '/',
    errorCallbackURL: '/sign-in',
  })
  const profile = { sub: `sub-of-${email}`, email, email_verified: true, name: 'From Acme' }
  return person.get(provider.approve(started.body.url, profile))
}
/** A stranger's account with an address that is not theirs, and a program that they connected to it. */
const squat = async (email: string) => {
  const stranger = cp.person()
  await signInAs(stranger, email)
  const { id } = (await stranger.get('/api/settings')).body.profile
  await sql`insert into "oauthClient" (id, "clientId", "redirectUris") values (${email}, ${email}, '[]')`.execute(cp.db)
  const times = { created_at: new Date(), expires_at: new Date(Date.now() + 86_400_000) }
  const grant = { id: email, user_id: id, client_id: email, integration_key: email, can_write: true, vaults: '[]' }
  await cp.db
    .insertInto('agent_grants')
    .values({ ...grant, ...times })
    .execute()
  return { id, stranger, owner: Object.assign(cp.person(), { email }) }
}
/** Fails unless the owner alone is left in an account that a stranger made. */
const expectOwnedAlone = async ({ id, stranger, owner }: Awaited<ReturnType<typeof squat>>) => {
  expect((await owner.get('/api/settings')).body.profile).toMatchObject({ id, emailVerified: true })
  expect((await stranger.get('/api/settings')).status).toBe(401)
  const again = await signInAs(cp.person(), owner.email)
  expect(again.headers.location).toContain('error=account_not_linked')
  expect(await cp.db.selectFrom('agent_grants').select('id').where('user_id', '=', id).execute()).toEqual([])
}

test('who proves an unconfirmed address by a new password is alone in the account', async () => {
  verifies('security.provider-trust', 'security.credential-change')
  const account = await squat('dora@elsewhere.test')
  const { stranger, owner } = account
  const reset = (token: string) => owner.post('/api/auth/reset-password', { token, newPassword: 'chosen by the owner' })
  const ask = () => owner.post('/api/auth/request-password-reset', { email: owner.email })
  const requestReset = async () => (await cp.mailedBy(owner.email, 'reset-password', ask)).token
  const expired = await requestReset()
  const before = new Date(Date.now() - 1_000)
  await cp.db.updateTable('verification').set({ expiresAt: before }).where('value', '=', account.id).execute()
  for (const useless of [expired, 'made up']) expect((await reset(useless)).status).toBe(400)
  expect((await stranger.get('/api/settings')).body.profile).toMatchObject({ emailVerified: false })
  const token = await requestReset()
  expect((await reset(token)).status).toBe(200)
  expect((await owner.signIn('chosen by the owner')).status).toBe(200)
  await expectOwnedAlone(account)
})

test('who proves an unconfirmed address by a mailed sign-in link is alone in the account', async () => {
  verifies('security.provider-trust')
  const account = await squat('emil@elsewhere.test')
  const { owner } = account
  await owner.post('/api/auth/sign-in/magic-link', { email: owner.email })
  const token = mailedToken(await cp.mailTo(owner.email, 'magic-link'))
  expect((await owner.post('/api/auth/magic-link/verify', { token })).status).toBe(200)
  await expectOwnedAlone(account)
})

test('the migration mends accounts whose owner set a password before', async () => {
  verifies('security.provider-trust')
  const signIn = async (email: string) => {
    const person = cp.person()
    await signInAs(person, email)
    return Object.assign(person, { id: (await person.get('/api/settings')).body.profile.id as string })
  }
  const addPassword = ({ id: userId }: Person) =>
    cp.db
      .insertInto('account')
      .values({ id: newId('acc_'), accountId: userId, providerId: 'credential', userId, password: 'hash', ...times })
      .execute()
  const times = { createdAt: new Date(), updatedAt: new Date() }
  const [taken, fresh, confirmed] = [
    await signIn('frida@elsewhere.test'),
    await signIn('gerd@elsewhere.test'),
    await signIn('hanna@acme.test'),
  ]
  await addPassword(taken)
  await addPassword(confirmed)

  await sql`drop function end_what_account_began cascade`.execute(cp.db)
  await removedAccounts.up(cp.db as Kysely<unknown>)
  const providers = async ({ id }: Person) => {
    const rows = await cp.db.selectFrom('account').select('providerId').where('userId', '=', id).execute()
    return rows.map(({ providerId }) => providerId).toSorted()
  }
  expect(await Promise.all([taken, fresh, confirmed].map(providers))).toEqual([
    ['credential'],
    ['oidc'],
    ['credential', 'oidc'],
  ])
})

test('whoever is signed in through the provider keeps it when they confirm the address', async () => {
  verifies('security.provider-trust')
  const eli = cp.person()
  await signInAs(eli, 'eli@elsewhere.test')
  await eli.post('/api/auth/send-verification-email', { email: 'eli@elsewhere.test' })
  const token = mailedToken(await cp.mailTo('eli@elsewhere.test', 'verify-email'))
  expect((await eli.post('/api/auth/verify-email', { token })).status).toBe(200)
  const again = cp.person()
  await signInAs(again, 'eli@elsewhere.test')
  expect((await again.get('/api/settings')).body.profile).toMatchObject({
    email: 'eli@elsewhere.test',
    emailVerified: true,
  })
})
