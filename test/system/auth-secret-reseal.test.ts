import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Secret } from '@svc/shared/kit/secret.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createResealSecondFactors } from '../../control-plane/src/accounts/reseal-second-factors.ts'
import { secondFactorsRepository } from '../../control-plane/src/accounts/second-factors.repository.ts'
import { createFactorSeal } from '../../control-plane/src/sign-in/factor-seal.ts'
import { verifies } from '../requirements.ts'
import { consent, LOOPBACK_REDIRECT, rawAgent } from '../support/agent-client.ts'
import { codeOf, enrol, forgetUsedCodes } from '../support/authenticator.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { freePort } from '../support/free-port.ts'
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts'
import { PASSWORD, type Person } from '../support/person.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const [older, newer] = ['older', 'newer'].map((name) => `${name}-secret-of-the-tests-long-enough`) as [string, string]
const before = { AUTH_SECRET: older }
/** The three steps of a change. */
const announced = { AUTH_SECRET: older, AUTH_SECRET_PREVIOUS: newer }
const changed = { AUTH_SECRET: newer, AUTH_SECRET_PREVIOUS: older }
const after = { AUTH_SECRET: newer }

let database: TestDatabase
let port: number
let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider()
  database = await createTestDatabase()
  port = await freePort()
})
afterAll(async () => {
  await provider.stop()
  await database.drop()
})

type Kind = 'web' | 'worker'

/** One run of the control plane at the same address, on the same database. A worker reseals, a web process does not. */
async function within(secrets: Record<string, string>, kind: Kind, use: (cp: TestControlPlane) => Promise<void>) {
  const environment = { ...secrets, MCP_ENABLED: '1' }
  const cp = await startControlPlane({ database, port, environment, working: kind === 'worker' })
  try {
    await use(cp)
  } finally {
    await cp.stop()
  }
}

type App = { person: Person; uri: string; recoveryCodes: string[] }

async function joinWithApp(cp: TestControlPlane, email: string): Promise<App> {
  const person = cp.person()
  await person.signUp({ email })
  return { person, ...(await enrol(person, { db: cp.db, password: PASSWORD })) }
}

/** Signs in with a password and a second factor in a new browser. */
async function signInWith(cp: TestControlPlane, { person }: App, [path, code]: [string, string]): Promise<Person> {
  await forgetUsedCodes(cp.db)
  const browser = Object.assign(cp.person(), { email: person.email })
  expect((await browser.signIn()).body).toEqual({ twoFactorRedirect: true })
  const answer = await browser.post(`/api/auth/two-factor/${path}`, { code })
  expect(answer.status, answer.text).toBe(200)
  return browser
}
const recoveryCodesLeft = async (person: Person) => (await person.get('/api/settings')).body.signIn.recoveryCodesLeft

/** Signs in with a code, and with a recovery code, which is then used up. */
async function signInBothWays(cp: TestControlPlane, app: App): Promise<void> {
  const left = app.recoveryCodes.length
  expect(await recoveryCodesLeft(await signInWith(cp, app, ['verify-totp', codeOf(app.uri)]))).toBe(left)
  const spent = app.recoveryCodes.pop() ?? ''
  expect(await recoveryCodesLeft(await signInWith(cp, app, ['verify-backup-code', spent]))).toBe(left - 1)
}

/** A program with a secret that somebody approved. `refresh` exchanges its token with the secret. */
async function connectClient(cp: TestControlPlane, person: Person) {
  const { organization } = (await person.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body
  const agent = rawAgent(cp.origin)
  const { body: client } = await agent.register({
    redirect_uris: [LOOPBACK_REDIRECT],
    token_endpoint_auth_method: 'client_secret_post',
  })
  const vaults = [{ orgId: organization.id, vaultId: null }]
  const back = await consent(person, agent.authorizationUrl(client.client_id), { vaults })
  const proof = { client_secret: client.client_secret as string }
  const { body } = await agent.exchange(client.client_id, back.searchParams.get('code') ?? '', proof)
  let token = body.refresh_token as string
  return {
    id: client.client_id as string,
    refresh: async () => {
      const fields = { grant_type: 'refresh_token', client_id: client.client_id, refresh_token: token, ...proof }
      const answer = await agent.form('/oauth2/token', fields)
      token = answer.body.refresh_token ?? token
      return answer
    },
  }
}
const isResealed = (cp: TestControlPlane) =>
  until('everything is resealed', () => cp.logged().includes('everything is sealed with AUTH_SECRET'))

test('a changed secret locks out neither authenticator apps nor clients with a secret', async () => {
  verifies('security.auth-secret-reseal')
  let ada!: App
  let bea!: App
  let client!: Awaited<ReturnType<typeof connectClient>>
  await within(before, 'worker', async (cp) => {
    ada = await joinWithApp(cp, 'ada@example.org')
    bea = await joinWithApp(cp, 'bea@example.org')
    client = await connectClient(cp, ada.person)
    await signInBothWays(cp, ada)
  })

  // Replicas of both steps answer during a rollout, and a worker of the first one still seals with the older secret.
  for (const [secrets, kind] of [
    [announced, 'web'],
    [changed, 'web'],
    [announced, 'worker'],
    [changed, 'web'],
    [announced, 'web'],
  ] as const)
    await within(secrets, kind, async (cp) => {
      await signInBothWays(cp, ada)
      expect((await client.refresh()).status).toBe(200)
    })

  // Nobody signs in while the worker reseals.
  await within(changed, 'worker', isResealed)
  await within(after, 'worker', async (cp) => {
    for (const app of [ada, bea]) await signInBothWays(cp, app)
    expect((await client.refresh()).status).toBe(200)
    expect(cp.logged()).not.toContain('no secret opens these')
  })
})

test('what began before a replica changed its secret is completed after it', async () => {
  verifies('security.auth-secret-reseal')
  let app!: App
  let byPassword!: Person
  let byProvider!: Person
  let back = ''
  let page!: URL
  let asked!: { id: string; vaults: { orgId: string; vaultId: null }[] }
  let spent = ''
  let refreshed: unknown
  await within({ ...announced, ...provider.environment }, 'web', async (cp) => {
    app = await joinWithApp(cp, 'eve@acme.test')
    byPassword = Object.assign(cp.person(), { email: app.person.email })
    await byPassword.signIn()

    byProvider = cp.person()
    const started = await byProvider.post('/api/auth/sign-in/social', { provider: 'oidc', callbackURL: '/profile' })
    back = provider.approve(started.body.url, {
      sub: 'eve',
      email: app.person.email,
      email_verified: true,
      name: 'Eve',
    })

    const { organization } = (await app.person.post('/api/provisioning/orgs/self-hosted', { name: 'Eve' })).body
    const agent = rawAgent(cp.origin)
    const { client_id: id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
    const vaults = [{ orgId: organization.id, vaultId: null }]
    const granted = await consent(app.person, agent.authorizationUrl(id), { vaults })
    spent = (await agent.exchange(id, granted.searchParams.get('code') ?? '')).body.refresh_token
    refreshed = (await agent.refresh(id, spent)).body.access_token
    const url = new URL(agent.authorizationUrl(id))
    page = new URL((await app.person.get(url.pathname + url.search)).headers['location'] ?? '', cp.origin)
    asked = { id, vaults }
  })

  await within({ ...changed, ...provider.environment }, 'web', async (cp) => {
    // As a program whose connection broke before it got the answer, which it may repeat for 30 s.
    await sql`update "oauthRefreshToken" set "rotationReplayExpiresAt" = "rotationReplayExpiresAt" + interval '1 hour'
      where "rotationReplayExpiresAt" is not null`.execute(cp.db)
    const { body } = await rawAgent(cp.origin).refresh(asked.id, spent)
    expect([body.access_token, typeof body.access_token]).toEqual([refreshed, 'string'])

    await forgetUsedCodes(cp.db)
    expect((await byPassword.post('/api/auth/two-factor/verify-totp', { code: codeOf(app.uri) })).status).toBe(200)
    expect((await byPassword.get('/api/settings')).status).toBe(200)

    expect((await byProvider.get(back)).headers.location).toBe(`${cp.origin}/sign-in/code?next=%2Fprofile`)
    await forgetUsedCodes(cp.db)
    expect((await byProvider.post('/api/auth/two-factor/verify-totp', { code: codeOf(app.uri) })).status).toBe(200)

    const decision = { decision: 'connect', query: page.search.slice(1), access: 'read', vaults: asked.vaults }
    const forged = await app.person.post('/oauth2/consent', { ...decision, query: `${decision.query}&state=other` })
    expect(forged.status).toBe(400)
    const decided = await app.person.post('/oauth2/consent', decision)
    expect([page.pathname, decided.status]).toEqual(['/consent', 200])
    expect(new URL(decided.body.url).searchParams.get('code')).toBeTypeOf('string')
  })
})

test('a change that a person makes while apps are resealed wins', async () => {
  verifies('security.auth-secret-reseal')
  await within({ ...after, AUTH_SECRET_PREVIOUS: older }, 'web', async (cp) => {
    const app = await joinWithApp(cp, 'cleo@example.org')
    const real = secondFactorsRepository(cp.db, systemClock)
    let made: string[] = []
    const secondFactors = {
      ...real,
      updateSealed: async (...given: Parameters<typeof real.updateSealed>) => {
        const answer = await app.person.post('/api/auth/two-factor/generate-backup-codes', { password: PASSWORD })
        made = answer.body.backupCodes
        return real.updateSealed(...given)
      },
    }
    // As a replica that has not changed its secret yet.
    const seal = createFactorSeal({ secret: new Secret(older), previous: new Secret(newer) })
    await createResealSecondFactors({ secondFactors, seal }).one(app.person.id)

    expect(made).toHaveLength(10)
    await signInBothWays(cp, { ...app, recoveryCodes: made })
  })
})

test('what no secret opens refuses a sign-in and breaks nothing else', async () => {
  verifies('security.auth-secret-reseal')
  await within(after, 'worker', async (cp) => {
    const app = await joinWithApp(cp, 'dora@example.org')
    const client = await connectClient(cp, app.person)
    const foreign = createFactorSeal({ secret: new Secret('x'.repeat(40)), previous: new Secret(newer) })
    const reseal = createResealSecondFactors({
      secondFactors: secondFactorsRepository(cp.db, systemClock),
      seal: foreign,
    })
    await reseal.one(app.person.id)
    await cp.db
      .updateTable('oauthClient')
      .set({ clientSecret: 'A'.repeat(80) })
      .where('clientId', '=', client.id)
      .execute()

    expect((await app.person.get('/api/settings')).body.signIn).toMatchObject({ twoFactor: true, recoveryCodesLeft: 0 })
    const refused = await client.refresh()
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
    // New codes are sealed with the present secret.
    await app.person.post('/api/auth/two-factor/generate-backup-codes', { password: PASSWORD })
    expect(await recoveryCodesLeft(app.person)).toBe(10)
  })
  await within(
    after,
    'worker',
    (cp) =>
    until('it is reported', () => /"what":"authenticatorApps","count":1/.test(cp.logged()) && /"what":"clientSecrets","count":1/.test(cp.logged())), // prettier-ignore
  )
})
