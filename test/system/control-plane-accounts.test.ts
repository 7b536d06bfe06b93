import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { mailedToken } from '../support/mailbox.ts'
import { PASSWORD } from '../support/person.ts'

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane()
})
afterAll(() => cp.stop())

const sessionName = () => `svc_session_${new URL(cp.origin).port}`

describe('sign-up, sign-in, sign-out', () => {
  test('a person signs up, reads settings, changes the profile, signs out and in again', async () => {
    verifies('cp.settings', 'cp.profile', 'auth.session-cookie', 'api.ids', 'security.session-renewed')
    const ada = cp.person()
    expect((await ada.get('/api/settings')).body.error.code).toBe('unauthenticated')
    const signedUp = await ada.signUp({ email: 'ada@example.org', name: 'Ada' })
    expect(signedUp.status).toBe(200)
    expect(ada.id).toMatch(/^usr_[a-z2-7]{24}$/)
    expect(signedUp.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^${sessionName()}=[^;]+; Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax$`),
    )
    expect((await ada.get('/api/settings')).body).toEqual({
      ok: true,
      profile: { id: ada.id, name: 'Ada', email: 'ada@example.org', emailVerified: true, image: null },
      organizations: [],
      admissionOffers: [],
      signIn: { password: true, twoFactor: false, recoveryCodesLeft: null },
      systemAdmin: false,
      theme: 'system',
    })

    const changed = await ada.patch('/api/settings/profile', { name: ' Ada L. ', image: 'https://example.org/a.png' })
    expect(changed.body.profile).toMatchObject({ name: 'Ada L.', image: 'https://example.org/a.png' })
    expect((await ada.patch('/api/settings/profile', { image: null })).body.profile).toMatchObject({
      name: 'Ada L.',
      image: null,
    })

    const before = ada.cookies.get(sessionName())
    expect((await ada.post('/api/auth/sign-out')).status).toBe(200)
    expect(ada.cookies.has(sessionName())).toBe(false)
    ada.cookies.set(sessionName(), before ?? '')
    expect((await ada.get('/api/settings')).status).toBe(401)
    expect((await ada.signIn()).status).toBe(200)
    const after = ada.cookies.get(sessionName())
    expect([after === undefined, after === before]).toEqual([false, false])
    expect((await ada.get('/api/settings')).status).toBe(200)
    ada.cookies.set(sessionName(), before ?? '')
    expect((await ada.get('/api/settings')).status, 'a session id that was planted stays worthless').toBe(401)
  })

  test('wrong password and unknown address keep the shape of the sign-in handler', async () => {
    const bob = cp.person()
    await bob.signUp({ email: 'bob@example.org' })
    for (const [email, password] of [
      ['bob@example.org', 'wrong password'],
      ['nobody@example.org', PASSWORD],
    ]) {
      const answer = await cp.person().post('/api/auth/sign-in/email', { email, password })
      expect([answer.status, answer.body.code]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    }
    const short = await cp.person().signUp({ email: 'short@example.org', password: 'short' })
    expect(short.body.error.details).toMatchObject([{ path: 'password' }])
  })

  test('two session cookies count as none, for our routes and for those of the sign-in handler', async () => {
    verifies('security.session-cookie')
    const eve = cp.person()
    await eve.signUp({ email: 'eve@example.org' })
    const mine = `${sessionName()}=${eve.cookies.get(sessionName())}`
    const cookies = { double: `${mine}; ${mine}`, planted: `${sessionName()}=planted; ${mine}`, one: mine }
    const status = async (cookie: string) => (await cp.person().get('/api/settings', { headers: { cookie } })).status
    expect([await status(cookies.one), await status(cookies.double), await status(cookies.planted)]).toEqual([
      200, 401, 401,
    ])
    const read = (cookie: string) => cp.person().get('/api/auth/get-session', { headers: { cookie } })
    expect((await read(cookies.one)).body.user.email).toBe('eve@example.org')
    expect((await read(cookies.planted)).body).toBeNull()
    expect(await status(`${mine.slice(0, -6)}AAAAAA`)).toBe(401)
  })

  test('only a sign-out deletes the cookie: a read whose session was replaced leaves the new cookie alone', async () => {
    verifies('auth.session-replaced')
    const person = cp.person()
    await person.signUp({ email: 'replaced@example.org' })
    const before = { cookie: `${sessionName()}=${person.cookies.get(sessionName())}` }
    await person.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: 'another long one' })

    // Sent with the old cookie, answered after the new one: what a page that reads meanwhile does.
    const calls = [
      ['GET', '/api/auth/get-session'],
      ['GET', '/api/auth/list-sessions'],
      ['GET', '/api/auth/passkey/list-user-passkeys'],
      ['GET', '/api/auth/passkey/generate-authenticate-options'],
      ['GET', '/api/settings'],
      ['POST', '/api/auth/revoke-other-sessions'],
    ] as const
    for (const [method, path] of calls)
      await person.send(method, path, { headers: before, ...(method === 'POST' && { body: {} }) })
    expect((await person.get('/api/settings')).status).toBe(200)
    await person.post('/api/auth/sign-out')
    expect(person.cookies.has(sessionName())).toBe(false)
  })

  test('the list of sessions says when each was last used', async () => {
    verifies('auth.session-use')
    const person = cp.person()
    await person.signUp({ email: 'uses@example.org' })
    const read = async () => (await person.get('/api/auth/list-sessions')).body as { id: string; updatedAt: string }[]
    const [{ id, updatedAt } = { id: '', updatedAt: '' }] = await read()
    const hourAgo = new Date(new Date(updatedAt).getTime() - 3_600_000)
    await cp.db.updateTable('session').set({ updatedAt: hourAgo }).where('id', '=', id).execute()
    await person.get('/api/settings')
    const [after] = await read()
    expect(new Date(after?.updatedAt ?? 0).getTime()).toBeGreaterThanOrEqual(new Date(updatedAt).getTime())
  })

  test('sessions are listed, revoked one by one, and end with a change of the password', async () => {
    const first = cp.person()
    await first.signUp({ email: 'many@example.org' })
    const others = [cp.person(), cp.person()]
    for (const other of others) {
      other.email = first.email
      await other.signIn()
    }
    const sessions = (await first.get('/api/auth/list-sessions')).body as { token: string; id: string }[]
    expect(sessions).toHaveLength(3)
    const own = decodeURIComponent(others[0]!.cookies.get(sessionName()) ?? '').split('.')[0]
    await first.post('/api/auth/revoke-session', { token: own })
    expect([(await others[0]!.get('/api/settings')).status, (await others[1]!.get('/api/settings')).status]).toEqual([
      401, 200,
    ])

    const changed = await first.post('/api/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword: 'another long one',
    })
    expect(changed.status).toBe(200)
    expect((await others[1]!.get('/api/settings')).status).toBe(401)
    expect((await first.get('/api/settings')).status).toBe(200)
    expect((await others[1]!.signIn()).status).toBe(401)
    expect((await others[1]!.signIn('another long one')).status).toBe(200)
  })
})

describe('mailed links', () => {
  test('an address that a provider named is confirmed by its person, and by nobody else', async () => {
    const carol = cp.person()
    await carol.signUp({ email: 'carol@example.org' })
    await cp.unconfirm(carol)
    await carol.post('/api/auth/send-verification-email', { email: carol.email })
    const mail = await cp.mailTo('carol@example.org', 'verify-email')
    expect(mail.link).toMatch(`${cp.origin}/verify-email#token=`)
    const token = mailedToken(mail)
    const stranger = cp.person()
    expect((await stranger.post('/api/auth/verify-email', { token })).body.error.code).toBe('unauthenticated')
    await stranger.signUp({ email: 'stranger@example.org' })
    expect((await stranger.post('/api/auth/verify-email', { token })).body.error.code).toBe('forbidden')
    expect((await carol.get('/api/settings')).body.profile.emailVerified).toBe(false)
    expect((await carol.post('/api/auth/verify-email', { token: 'nonsense' })).body.code).toBe('INVALID_TOKEN')
    expect((await carol.post('/api/auth/verify-email', { token })).status).toBe(200)
    expect((await carol.get('/api/settings')).body.profile.emailVerified).toBe(true)
  })

  test('a sign-in link works once, is stored hashed, and drops what was there before the address was proven', async () => {
    const attacker = cp.person()
    await attacker.signUp({ email: 'victim@example.org', password: 'the attacker knows it' })
    await cp.unconfirm(attacker)
    const victim = cp.person()
    await victim.post('/api/auth/sign-in/magic-link', { email: 'victim@example.org' })
    const mail = await cp.mailTo('victim@example.org', 'magic-link')
    expect(mail.link).toMatch(`${cp.origin}/sign-in/link#token=`)
    const token = mailedToken(mail)
    const stored = await cp.db.selectFrom('verification').select(['identifier', 'value']).execute()
    expect(JSON.stringify(stored)).not.toContain(token)

    expect((await victim.post('/api/auth/magic-link/verify', { token })).status).toBe(200)
    expect((await victim.get('/api/settings')).body.profile).toMatchObject({
      email: 'victim@example.org',
      emailVerified: true,
    })
    expect((await attacker.get('/api/settings')).status).toBe(401)
    expect((await attacker.signIn('the attacker knows it')).status).toBe(401)
    const again = await cp.person().post('/api/auth/magic-link/verify', { token })
    expect([again.status, again.headers.location]).toEqual([302, expect.stringContaining('INVALID_TOKEN')])
  })

  test('a new password ends every session, and its link works once', async () => {
    const dave = cp.person()
    await dave.signUp({ email: 'dave@example.org' })
    const asked = await cp.person().post('/api/auth/request-password-reset', { email: 'dave@example.org' })
    const unknown = await cp.person().post('/api/auth/request-password-reset', { email: 'ghost@example.org' })
    expect(asked.body).toEqual(unknown.body)
    const mail = await cp.mailTo('dave@example.org', 'reset-password')
    expect(mail.template).toBe('reset-password')
    const token = mailedToken(mail)
    const stored = await cp.db.selectFrom('verification').select(['identifier', 'value']).execute()
    expect(JSON.stringify(stored)).not.toContain(token)
    const reset = (newPassword: string) => cp.person().post('/api/auth/reset-password', { token, newPassword })
    expect((await reset('a brand new password')).status).toBe(200)
    expect((await dave.get('/api/settings')).status).toBe(401)
    expect((await reset('yet another password')).body.code).toBe('INVALID_TOKEN')
    expect((await dave.signIn('a brand new password')).status).toBe(200)
  })
})

describe('what is reachable', () => {
  test('routes of the sign-in handler that are not allowed are not there', async () => {
    const frank = cp.person()
    await frank.signUp({ email: 'frank@example.org' })
    const posts = [
      'organization/create',
      'organization/delete',
      'organization/set-active',
      'organization/check-slug',
      'organization/has-permission',
      'update-user',
      'delete-user',
      'change-email',
      'link-social',
      'unlink-account',
      'refresh-token',
      'update-session',
      'set-password',
    ]
    for (const path of posts) expect((await frank.post(`/api/auth/${path}`)).body?.error?.code, path).toBe('not_found')
    const gets = [
      'organization/list',
      'organization/list-members',
      'organization/get-full-organization',
      'list-accounts',
      'organization/list-invitations',
      'token',
      'ok',
      'error',
      'magic-link/verify?token=x',
      'verify-email?token=x',
    ]
    for (const path of gets) expect((await frank.get(`/api/auth/${path}`)).status, path).toBeGreaterThanOrEqual(404)
    expect((await frank.get('/api/auth/magic-link/verify?token=x')).body.error.code).toBe('method_not_allowed')
  })

  test('callback addresses lead nowhere else', async () => {
    for (const callbackURL of ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const answer = await cp.person().post('/api/auth/sign-in/magic-link', { email: 'x@example.org', callbackURL })
      expect([answer.status, answer.body.error?.details?.[0]?.path], callbackURL).toEqual([400, 'callbackURL'])
    }
  })
})

test('unsafe requests need to come from here', async () => {
  verifies('security.csrf')
  const gina = cp.person()
  await gina.signUp({ email: 'gina@example.org' })
  const cookie = `${sessionName()}=${gina.cookies.get(sessionName())}`
  const json = { 'content-type': 'application/json' }
  const corpus: [string, Record<string, string>, string | undefined, boolean][] = [
    ['own origin', { origin: cp.origin, ...json }, '{"name":"G"}', true],
    [
      'own origin, foreign fetch metadata is not asked',
      { origin: cp.origin, 'sec-fetch-site': 'cross-site', ...json },
      '{"name":"G"}',
      true,
    ],
    ['no origin, same-origin fetch', { 'sec-fetch-site': 'same-origin', ...json }, '{"name":"G"}', true],
    ['neither, JSON with a body', json, '{"name":"G"}', true],
    ['neither, JSON with a charset', { 'content-type': 'application/json; charset=utf-8' }, '{"name":"G"}', true],
    ['foreign origin', { origin: 'https://evil.example', ...json }, '{"name":"G"}', false],
    ['null origin', { origin: 'null', ...json }, '{"name":"G"}', false],
    ['another port', { origin: 'http://localhost:1', ...json }, '{"name":"G"}', false],
    ['a vault origin', { origin: cp.origin.replace('localhost', 'label.localhost'), ...json }, '{"name":"G"}', false],
    [
      'the loopback address by number',
      { origin: cp.origin.replace('localhost', '127.0.0.1'), ...json },
      '{"name":"G"}',
      false,
    ],
    ['same-site fetch', { 'sec-fetch-site': 'same-site', ...json }, '{"name":"G"}', false],
    ['cross-site fetch', { 'sec-fetch-site': 'cross-site', ...json }, '{"name":"G"}', false],
    ['neither, text', { 'content-type': 'text/plain' }, '{"name":"G"}', false],
    ['neither, a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'name=G', false],
    ['neither, nothing', {}, undefined, false],
    ['neither, JSON without a body', json, undefined, false],
  ]
  for (const [name, headers, body, passes] of corpus) {
    const answer = await cp.raw('PATCH', '/api/settings/profile', { headers: { cookie, ...headers }, body })
    expect(answer.status === 200, `${name}: ${answer.status}`).toBe(passes)
    if (!passes) expect(answer.body.error.code, name).toBe('forbidden')
    const handler = await cp.raw('POST', '/api/auth/sign-out', { headers: { ...headers }, body })
    expect(handler.status === 403, `sign-in handler, ${name}: ${handler.status}`).toBe(!passes)
  }
})
