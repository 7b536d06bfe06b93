import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import type { MailTemplate } from '../../control-plane/src/mail/mail.ts'
import { renderMail } from '../../control-plane/src/mail/render-mail.ts'
import { smtpSender } from '../../control-plane/src/mail/smtp.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { startMailServer } from '../support/mail-server.ts'
import { PASSWORD, type Person } from '../support/person.ts'

let cp: TestControlPlane
let ada: Person
let sessionCookie: string

beforeAll(async () => {
  cp = await startControlPlane()
  ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  sessionCookie = [...ada.cookies.keys()].find((name) => name.includes('session'))!
})
afterAll(() => cp?.stop())

describe('session fixation', () => {
  test('a sign-in takes over no session that the browser was given before', async () => {
    verifies('security.session-renewed')
    const attacker = cp.person()
    await attacker.signUp({ email: 'mallory@example.org' })
    const planted = attacker.cookies.get(sessionCookie)!

    const victim = cp.person()
    victim.email = ada.email
    victim.cookies.set(sessionCookie, planted)
    expect((await victim.signIn()).status).toBe(200)
    expect(victim.cookies.get(sessionCookie)).not.toBe(planted)
    expect((await victim.get('/api/settings')).body.profile.email).toBe('ada@example.org')
    expect((await attacker.get('/api/settings')).body.profile.email).toBe('mallory@example.org')
  })

  test('a made-up session id becomes none by a sign-in', async () => {
    verifies('security.session-renewed')
    const victim = cp.person()
    victim.email = ada.email
    victim.cookies.set(sessionCookie, 'chosen-by-somebody.else')
    expect((await victim.get('/api/settings')).status).toBe(401)
    expect((await victim.signIn()).status).toBe(200)
    const cookie = `${sessionCookie}=chosen-by-somebody.else`
    expect((await cp.raw('GET', '/api/settings', { headers: { cookie } })).status).toBe(401)
  })
})

test('a proven address, which may admit to an organization, gives the session a new secret', async () => {
  verifies('security.session-renewed')
  const bob = cp.person()
  await bob.signUp({ email: 'bob@example.org' })
  await cp.unconfirm(bob)
  const leaked = bob.cookies.get(sessionCookie)!
  const proof = () => bob.post('/api/auth/send-verification-email', { email: bob.email })
  const { token } = await cp.mailedBy(bob.email, 'verify-email', proof)
  expect((await bob.post('/api/auth/verify-email', { token })).status).toBe(200)
  expect(bob.cookies.get(sessionCookie)).not.toBe(leaked)
  expect((await bob.get('/api/settings')).body.profile.email).toBe('bob@example.org')
  const headers = { cookie: `${sessionCookie}=${leaked}` }
  expect((await cp.raw('GET', '/api/settings', { headers })).status).toBe(401)
})

describe('links in mails', () => {
  const elsewhere = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example;proto=https',
    'x-original-host': 'evil.example',
  }
  const signUp = { email: 'host1@example.org', name: 'H', password: PASSWORD }
  const asks: [string, MailTemplate, { email: string }][] = [
    ['sign-up/email', 'confirm-sign-up', signUp],
    ['request-password-reset', 'reset-password', { email: 'ada@example.org' }],
    ['sign-in/magic-link', 'magic-link', { email: 'ada@example.org' }],
  ]

  test.each(asks)('of %s lead to this platform, whatever host the request names', async (path, template, body) => {
    verifies('security.mail-host')
    // A proxy may check the Host, so try the other headers alone, too.
    const { host: _host, ...forwarded } = elsewhere
    for (const named of [elsewhere, forwarded]) {
      const headers = { 'content-type': 'application/json', origin: cp.origin, ...named }
      const ask = () => cp.raw('POST', `/api/auth/${path}`, { headers, body: JSON.stringify(body) })
      const { answer, mail } = await cp.mailedBy(body.email, template, ask)
      expect(answer.status).toBe(200)
      expect(new URL(mail.link).origin).toBe(cp.origin)
    }
    const stored = JSON.stringify(await cp.db.selectFrom('outbox').selectAll().execute())
    expect(stored).not.toContain('evil.example')
  })

  test('of an invitation lead to this platform', async () => {
    verifies('security.mail-host')
    const { body } = await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Invites' })
    const { host: _host, ...headers } = elsewhere
    const invitation = { organizationId: body.organization.id, email: 'guest@example.org', role: 'member' }
    expect((await ada.post('/api/auth/organization/invite-member', invitation, { headers })).status).toBe(200)
    expect(new URL((await cp.mailTo('guest@example.org', 'invitation')).link).origin).toBe(cp.origin)
  })
})

describe('header injection', () => {
  const breaks = ['\r\nset-cookie: planted=1', '\nlocation: https://evil.example', '\u2028x: y', '\u560a\u560dx: y']

  test.each(breaks)('no answer carries a header that a request made up: %j', async (line) => {
    verifies('security.header-injection')
    const encoded = encodeURIComponent(line)
    const answers = [
      await cp.raw('GET', `/sign-in?next=${encoded}`, {}),
      await cp.raw('GET', `/${encoded}`, { headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' } }),
      await cp.raw('GET', `/api/auth/callback/oidc?error=${encoded}&state=${encoded}`, {}),
      await cp.raw('GET', `/api/orgs/${encoded}/api-key`, {}),
      await ada.post('/api/auth/sign-in/magic-link', { email: 'ada@example.org', callbackURL: `/x${line}` }),
      await ada.post('/api/auth/sign-in/social', { provider: 'google', callbackURL: `/x${line}` }),
      await ada.patch('/api/settings/profile', { name: `Ada${line}` }),
    ]
    for (const { status, headers } of answers) {
      expect(status).toBeLessThan(500)
      expect(JSON.stringify(headers['set-cookie'] ?? [])).not.toContain('planted')
      expect(headers['x']).toBeUndefined()
      expect(headers.location ?? '').not.toMatch(/^https?:\/\/evil/)
    }
  })

  test('a name with a line break makes no header, recipient or second mail', async () => {
    verifies('security.header-injection')
    const names = [
      'Acme\r\nBcc: everybody@example.org',
      'Acme\nX-Planted: 1\n\nplanted body',
      'Acme\r\n.\r\nMAIL FROM:<mallory@example.org>\r\nRCPT TO:<everybody@example.org>',
      'Acme\u2028Bcc: everybody@example.org',
    ]
    const server = await startMailServer()
    const mail = smtpSender({
      url: new Secret(server.url),
      from: 'svc@example.org',
      log: createLog({ service: 'test', level: 'silent' }),
    })
    try {
      for (const name of names)
        await mail.send(
          renderMail({
            template: 'invitation',
            to: 'guest@example.org',
            link: `${cp.origin}/x`,
            organization: name,
            inviter: name,
          }),
        )
    } finally {
      mail.close()
      server.close()
    }
    expect(server.received).toHaveLength(names.length)
    for (const { envelope, lines } of server.received) {
      expect(envelope.map((line) => line.toUpperCase())).toEqual([
        'MAIL FROM:<SVC@EXAMPLE.ORG>',
        'RCPT TO:<GUEST@EXAMPLE.ORG>',
      ])
      const headers = lines.slice(0, lines.indexOf(''))
      expect(headers.filter((line) => /^(bcc|x-planted|to|from):/i.test(line))).toEqual([
        'From: svc@example.org',
        'To: guest@example.org',
      ])
    }
  })

  test('the name of an organization reaches the subject of a mail in one line', async () => {
    verifies('security.header-injection')
    const { body } = await ada.post('/api/provisioning/orgs/self-hosted', {
      name: 'Acme\r\nBcc: everybody@example.org',
    })
    expect(body.ok).toBe(true)
    const invitation = { organizationId: body.organization.id, email: 'bcc@example.org', role: 'member' }
    expect((await ada.post('/api/auth/organization/invite-member', invitation)).status).toBe(200)
    const { to, subject } = await cp.mailTo('bcc@example.org', 'invitation')
    expect([to, /[\r\n]/.test(subject)]).toEqual(['bcc@example.org', false])
  })
})
