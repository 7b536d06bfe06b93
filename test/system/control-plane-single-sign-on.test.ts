import { afterAll, beforeAll, expect, test } from 'vitest'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { mailedToken } from '../support/mailbox.ts'
import { client, startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts'
import { freePort } from '../support/free-port.ts'
import type { Person } from '../support/person.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'

let cp: TestControlPlane
let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider()
  cp = await startControlPlane({
    environment: { ...provider.environment, OIDC_NAME: 'Acme login' },
  })
})
afterAll(async () => {
  await cp.stop()
  await provider.stop()
})

const begin = async (person: Person): Promise<string> => {
  const started = await person.post('/api/auth/sign-in/social', {
    provider: 'oidc',
    callbackURL: '/',
    errorCallbackURL: '/sign-in',
  })
  expect(started.status, started.text).toBe(200)
  return started.body.url
}
const signInAs = async (person: Person, email: string) => {
  const profile = { sub: `sub-of-${email}`, email, email_verified: true, name: 'From Acme' }
  const path = provider.approve(await begin(person), profile)
  return { path, answer: await person.get(path) }
}

test('signs in with PKCE, once, and believes the provider about its own domain alone', async () => {
  verifies('security.provider-trust')
  const ada = cp.person()
  expect((await ada.get('/api/app-config')).body.providers).toEqual([{ id: 'oidc', name: 'Acme login' }])
  const asked = new URL(await begin(ada)).searchParams
  expect([asked.get('code_challenge_method'), asked.get('redirect_uri')]).toEqual([
    'S256',
    `${cp.origin}/api/auth/callback/oidc`,
  ])
  const { path, answer } = await signInAs(ada, 'ada@acme.test')
  expect([answer.status, answer.headers.location]).toEqual([302, '/'])
  expect((await ada.get('/api/settings')).body.profile).toMatchObject({
    email: 'ada@acme.test',
    emailVerified: true,
    name: 'From Acme',
  })
  const replayed = await cp.person().get(path)
  expect(replayed.headers.location).toContain('error=')
  expect(replayed.headers['set-cookie']?.join() ?? '').not.toContain('svc_session')

  const bob = cp.person()
  await signInAs(bob, 'bob@elsewhere.test')
  expect((await bob.get('/api/settings')).body.profile).toMatchObject({
    email: 'bob@elsewhere.test',
    emailVerified: false,
  })
})

test('does not take over an account that somebody made with the address before', async () => {
  const squatter = cp.person()
  await squatter.signUp({ email: 'carol@acme.test' })
  await cp.unconfirm(squatter)
  const carol = cp.person()
  const { answer } = await signInAs(carol, 'carol@acme.test')
  expect(answer.headers.location).toContain('error=')
  expect((await carol.get('/api/settings')).status).toBe(401)
})

test('a callback without the state that this browser was given signs nobody in', async () => {
  const eve = cp.person()
  const path = provider.approve(await begin(eve), {
    sub: 'eve',
    email: 'eve@acme.test',
    email_verified: true,
    name: 'Eve',
  })
  const victim = cp.person()
  const answer = await victim.get(path)
  expect(answer.headers.location).toContain('error=')
  expect((await victim.get('/api/settings')).status).toBe(401)
})

test('a provider that was away at the start is there once it is back', async () => {
  const port = await freePort()
  let time = 0
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + time }
  const environment = {
    OIDC_ISSUER: `http://127.0.0.1:${port}`,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
  }
  const early = await startControlPlane({ environment, clock })
  let late: Awaited<ReturnType<typeof startIdentityProvider>> | undefined
  try {
    const ask = () => early.person().post('/api/auth/sign-in/social', { provider: 'oidc', callbackURL: '/' })
    expect((await ask()).body.code).toBe('PROVIDER_NOT_FOUND')
    late = await startIdentityProvider(port)
    time = 10_000
    expect((await ask()).status).toBe(200)
    expect((await early.person().post('/api/auth/sign-in/social', { provider: 'nobody' })).body.code).toBe(
      'PROVIDER_NOT_FOUND',
    )
  } finally {
    await early.stop()
    await late?.stop()
  }
})

test('over https the session cookie is bound to the host, and there is no outbox', async () => {
  const real = await startControlPlane({
    environment: {
      ENVIRONMENT: 'production',
      BASE_URL: 'https://svc.example.test',
      VAULT_ORIGIN_TEMPLATE: 'https://{label}.vaults.example.test',
      SMTP_URL: 'smtp://127.0.0.1:1',
    },
  })
  try {
    const headers = { host: 'svc.example.test', origin: 'https://svc.example.test', 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'Ada', email: 'ada@example.org', password: 'correct horse battery' })
    const signedUp = await real.raw('POST', '/api/auth/sign-up/email', { headers, body })
    expect(signedUp.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-svc_sign_up=[^;]+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
    ])
    const confirmation = JSON.stringify({
      token: mailedToken(await real.mailTo('ada@example.org')),
      account: { name: 'Ada', password: 'correct horse battery' },
    })
    const confirmed = await real.raw('POST', '/api/auth/sign-up/confirm', { headers, body: confirmation })
    const bound =
      /^__Host-svc_session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; (Secure; SameSite=Lax|SameSite=Lax; Secure)$/
    expect(confirmed.headers['set-cookie']?.[0]).toMatch(bound)
    const signedIn = await real.raw('POST', '/api/auth/sign-in/email', { headers, body })
    expect(signedIn.headers['set-cookie']?.[0]).toMatch(bound)
    expect(signedIn.headers['strict-transport-security']).toBe('max-age=31536000')
    expect(signedIn.headers['content-security-policy']).toContain("form-action 'self' https://*.vaults.example.test;")
    const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    expect((await real.raw('GET', '/api/settings', { headers: { cookie } })).status).toBe(200)
    expect((await real.raw('GET', '/api/app-config', {})).body.outboxUrl).toBeUndefined()
    expect((await real.raw('GET', '/outbox', {})).status).toBe(404)
  } finally {
    await real.stop()
  }
})
