import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import fastify from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { sql } from 'kysely'
import { missingAuthSchema } from '../../control-plane/src/sign-in/auth-schema.ts'
import { authOptions } from '../../control-plane/src/sign-in/auth.ts'
import { oauthOptions } from '../../control-plane/src/oauth/oauth-provider.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { migrate, pendingMigrations } from '../../control-plane/src/db/migrator.ts'
import { migrations } from '../../control-plane/src/db/migrations.ts'
import { outboxRoutes } from '../../control-plane/src/mail/outbox.routes.ts'
import { createPasswords } from '../../control-plane/src/sign-in/passwords.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { mailedToken } from '../support/mailbox.ts'
import { successesWithoutOk } from '../support/openapi-successes.ts'
import { createEmptyDatabase } from '../support/postgres.ts'
import type { Person } from '../support/person.ts'

let cp: TestControlPlane
let ada: Person
let org: { id: string; slug: string; name: string }
beforeAll(async () => {
  cp = await startControlPlane()
  ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  org = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
})
afterAll(() => cp.stop())

describe('what is public', () => {
  test('health, readiness and configuration of the web app', async () => {
    verifies('cp.health')
    const nobody = cp.person()
    expect((await nobody.get('/api/health')).body).toEqual({
      ok: true,
      service: 'svc-control-plane',
      environment: 'test',
    })
    expect((await nobody.get('/ready')).body).toEqual({ ok: true })
    expect((await nobody.get('/api/app-config')).body).toEqual({
      ok: true,
      agents: false,
      environment: 'test',
      providers: [],
      hosted: true,
      provisioningCodeRequired: false,
      outboxUrl: `${cp.origin}/outbox`,
    })
    expect((await nobody.get('/metrics')).body.error.code).toBe('not_found')
    expect(await cp.metrics()).toContain(
      'svc_http_request_seconds_count{method="GET",route="/api/health",status="200"}',
    )
    expect(await cp.metrics()).toMatch(/^svc_relay_tunnels_left_total 0$/m)
  })

  test('every answer carries the headers that keep pages of ours to themselves', async () => {
    const answers = await Promise.all(
      ['/api/health', '/api/settings', '/no-such-page.txt'].map((path) => cp.person().get(path)),
    )
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toBe(
        `default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self' http://*.localhost:${new URL(cp.origin).port}; frame-ancestors 'none'; connect-src 'self'`,
      )
      expect(headers).toMatchObject({
        'referrer-policy': 'strict-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
      expect(headers).not.toHaveProperty('x-powered-by')
    }
  })

  test('unknown addresses and wrong methods are failures of the catalogue', async () => {
    verifies('error.shape')
    const cases: [string, string, number, string][] = [
      ['GET', '/api/no-such-thing', 404, 'not_found'],
      ['GET', '/t/org_x', 404, 'not_found'],
      ['PUT', '/api/settings', 405, 'method_not_allowed'],
      ['GET', '/api/settings/profile', 405, 'method_not_allowed'],
      ['GET', '/api/%zz', 400, 'invalid_request'],
    ]
    for (const [method, path, status, code] of cases) {
      const answer = await cp.person().send(method, path, method === 'PUT' ? { body: {} } : {})
      expect([answer.status, answer.body?.error?.code], path).toEqual([status, code])
      expect(answer.body).toMatchObject({
        ok: false,
        error: { message: expect.any(String), requestId: expect.any(String) },
      })
    }
    expect((await cp.person().send('PUT', '/api/settings', { body: {} })).headers['allow']).toBe('GET, HEAD')
  })

  test('bodies that are too large, not JSON, or of another type are refused before any route', async () => {
    verifies('api.bodies')
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const send = (headers: Record<string, string>, body: string) =>
      cp.raw('PATCH', '/api/settings/profile', { headers: { cookie, origin: cp.origin, ...headers }, body })
    const json = { 'content-type': 'application/json' }
    expect((await send(json, '{"name":')).body.error).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'body', message: 'must be JSON' }],
    })
    expect((await send(json, JSON.stringify({ name: 'x'.repeat(100_000) }))).body.error.code).toBe('payload_too_large')
    expect((await send({ 'content-type': 'text/plain' }, '{}')).body.error.code).toBe('unsupported_media_type')
    expect((await send({ 'content-type': 'application/x-www-form-urlencoded' }, 'name=x')).body.error.code).toBe(
      'unsupported_media_type',
    )
  })
})

describe('OpenAPI', () => {
  test('names every route with its answers and the failure body', async () => {
    verifies('house.openapi', 'api.ok')
    const { body: document } = await cp.person().get('/api/openapi.json')
    expect(successesWithoutOk(document.paths)).toEqual([])
    expect(document.openapi).toBe('3.1.0')
    const operations = Object.entries(document.paths as Record<string, Record<string, { responses: object }>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, { responses }]) => ({ name: `${method} ${path}`, responses })),
    )
    for (const { name, responses } of operations) {
      const answers = Object.entries(responses as Record<string, { content?: object }>)
      expect(
        answers.some(
          ([status, { content }]) => status.startsWith('3') || (status.startsWith('2') && content !== undefined),
        ),
        name,
      ).toBe(true)
      expect(Object.keys(responses), name).toContain('default')
    }
    verifies('service.no-note-crud')
    const names = operations.map(({ name }) => name)
    expect(names.filter((name) => /note|attachment/.test(name))).toEqual([])
    expect(names).toEqual(
      expect.arrayContaining([
        'get /api/health',
        'get /api/settings',
        'patch /api/settings/profile',
        'patch /api/orgs/{orgId}/auto-admit',
        'delete /api/orgs/{orgId}',
        'get /api/orgs/{orgId}/daemon/status',
        'get /api/orgs/{orgId}/api-key',
        'post /api/orgs/{orgId}/api-key',
        'post /api/orgs/{orgId}/api-key/rotate',
        'post /api/provisioning/orgs/self-hosted',
        'post /api/provisioning/orgs/cloud-hosted/comped',
        'get /api/vaults',
        'post /api/orgs/{orgId}/vaults/relay',
        'post /api/orgs/{orgId}/vaults/hosted',
        'post /api/orgs/{orgSlug}/vaults/{vaultSlug}/entry',
        'get /api/orgs/{orgSlug}/hosted/status',
      ]),
    )
  })
})

describe('bad input', () => {
  const bodies = (): [string, string, unknown, string][] => [
    ['PATCH', '/api/settings/profile', { name: '' }, 'name'],
    ['PATCH', '/api/settings/profile', { image: 'javascript:alert(1)' }, 'image'],
    ['PATCH', '/api/settings/profile', { email: 'x@example.org' }, ''],
    ['PATCH', `/api/orgs/${org.id}/auto-admit`, { enabled: 'yes' }, 'enabled'],
    ['DELETE', `/api/orgs/${org.id}`, {}, 'name'],
    ['POST', '/api/provisioning/orgs/self-hosted', {}, 'name'],
    ['POST', '/api/provisioning/orgs/self-hosted', { name: 'A', slug: 'Not A Slug' }, 'slug'],
    ['POST', '/api/provisioning/orgs/cloud-hosted/comped', { name: 7 }, 'name'],
    ['POST', `/api/orgs/${org.id}/vaults/relay`, {}, 'name'],
    ['POST', `/api/orgs/${org.id}/vaults/hosted`, { displayName: 'V' }, 'slug'],
    ['POST', `/api/orgs/${org.id}/api-key/rotate`, { immediate: 'now' }, 'immediate'],
    ['POST', `/api/settings/admission-offers/${org.id}`, {}, 'accept'],
    ['POST', '/api/settings/admission-offers/org_x', { accept: true }, 'params.orgId'],
    ['POST', '/api/setup/claim', {}, 'token'],
    ['POST', '/api/auth/sign-up/email', { name: 'A', email: 'not an address', password: 'long enough' }, 'email'],
    ['POST', '/api/auth/sign-in/email', { email: 'a@example.org' }, 'password'],
    ['POST', '/api/auth/sign-in/magic-link', {}, 'email'],
    ['POST', '/api/auth/magic-link/verify', {}, 'token'],
    ['POST', '/api/auth/verify-email', {}, 'token'],
    ['POST', '/api/auth/reset-password', { token: 'x' }, 'newPassword'],
    ['POST', '/api/auth/request-password-reset', { email: [] }, 'email'],
    ['POST', '/api/auth/organization/update', { organizationId: org.id, data: {} }, 'data.name'],
    ['POST', '/api/auth/organization/update', { data: { name: 'A' } }, 'organizationId'],
    ['POST', '/api/auth/organization/invite-member', { organizationId: org.id, email: 'x', role: 'member' }, 'email'],
    ['POST', '/api/auth/organization/accept-invitation', { invitationId: '../x' }, 'invitationId'],
    ['POST', '/api/auth/organization/remove-member', { organizationId: org.id }, 'memberIdOrEmail'],
    [
      'POST',
      '/api/auth/organization/update-member-role',
      { organizationId: org.id, memberId: 'm', role: 'owner' },
      'role',
    ],
    ['POST', '/api/auth/organization/cancel-invitation', {}, 'invitationId'],
  ]
  test('every route answers invalid_request with paths, and changes nothing', async () => {
    verifies('error.paths', 'api.bad-input')
    const before = (await ada.get('/api/settings')).text
    for (const [method, path, body, field] of bodies()) {
      const answer = await ada.send(method, path, { body })
      const name = `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`
      expect([answer.status, answer.body.error?.code], name).toEqual([400, 'invalid_request'])
      expect(
        answer.body.error.details.map(({ path }: { path: string }) => path),
        name,
      ).toContain(field)
    }
    expect((await ada.get('/api/settings')).text).toBe(before)
  })
})

describe('limits', () => {
  test('are counted by the real client and by the address that a call is about', async () => {
    verifies('error.retry-after')
    const strict = await startControlPlane({ environment: { ENVIRONMENT: 'production' } })
    try {
      const guess = (email: string, headers: Record<string, string> = {}) =>
        strict.person().post('/api/auth/sign-in/email', { email, password: 'wrong password' }, { headers })
      const statuses: number[] = []
      for (let call = 0; call < 16; call += 1) statuses.push((await guess('target@example.org')).status)
      expect(statuses).toEqual([...Array(15).fill(401), 429])
      const refused = await guess('TARGET@example.org')
      expect(refused.body.error.code).toBe('too_many_requests')
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(100)
      expect((await guess('other@example.org')).status).toBe(401)

      for (let call = 0; call < 20; call += 1) await guess(`spread${call}@example.org`)
      const spoofed = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.7', 'x-svc-ip': '203.0.113.7' }
      expect((await guess('spread99@example.org', spoofed)).status).toBe(429)
    } finally {
      await strict.stop()
    }
  })
})

describe('the outbox', () => {
  test('opens once by its link, in that browser alone', async () => {
    verifies('security.outbox')
    const owner = cp.person()
    const closed = await owner.get('/outbox')
    expect([closed.status, closed.text.includes('ada@example.org')]).toEqual([403, false])
    const { pathname, search } = new URL(await cp.outbox.mintLink(cp.origin))
    const opened = await owner.get(pathname + search)
    expect([opened.status, opened.headers.location]).toEqual([303, '/outbox'])
    expect(opened.headers['set-cookie']?.[0]).toMatch(/; Path=\/outbox; HttpOnly; SameSite=Strict$/)
    const page = await owner.get('/outbox')
    expect([page.status, page.text.includes('ada@example.org')]).toEqual([200, true])
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect((await owner.get('/outbox', { headers: { accept: 'application/json' } })).body.mails[0]).toMatchObject({
      to: 'ada@example.org',
      template: 'confirm-sign-up',
    })

    const other = cp.person()
    expect((await other.get(pathname + search)).status).toBe(403)
    expect((await other.get('/outbox')).status).toBe(403)
    const stored = await cp.db.selectFrom('outbox_access').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(search.slice('?link='.length))
  })

  test('is closed to other machines, which use up no link and read how else to see it', async () => {
    verifies('security.outbox')
    const away = fastify().setValidatorCompiler(validatorCompiler)
    await away.register(outboxRoutes({ outbox: cp.outbox, baseUrl: cp.origin }))
    const { pathname, search } = new URL(await cp.outbox.mintLink(cp.origin))
    for (const remoteAddress of ['172.17.0.1', '::ffff:10.0.0.7', 'fe80::1']) {
      const refused = await away.inject({ url: pathname + search, remoteAddress })
      expect([refused.statusCode, refused.headers['set-cookie']]).toEqual([403, undefined])
      expect(refused.body).toContain('svc-admin outbox')
    }
    await away.close()
    expect((await cp.person().get(pathname + search)).status).toBe(303)
  })

  test('keeps the newest mails and the accesses that are valid', async () => {
    const link = new URL(await cp.outbox.mintLink(cp.origin))
    await cp.db
      .insertInto('outbox_access')
      .values({ kind: 'link', secret_hash: 'old', expires_at: new Date(0) })
      .execute()
    await sql`insert into outbox (recipient, template, subject, body, link, created_at)
      select 'many@example.org', 'invitation', n::text, '', '', now() from generate_series(1, 1100) n`.execute(cp.db)
    await cp.outbox.mintLink(cp.origin)
    await cp.outbox.send({
      to: 'last@example.org',
      template: 'invitation',
      subject: 'Last',
      text: '',
      html: '',
      link: '',
    })
    const kept = await cp.db.selectFrom('outbox').select(['recipient', 'subject']).orderBy('id').execute()
    expect(kept).toHaveLength(1000)
    expect([kept[0], kept.at(-1)]).toEqual([
      { recipient: 'many@example.org', subject: '102' },
      { recipient: 'last@example.org', subject: 'Last' },
    ])
    const accesses = await cp.db.selectFrom('outbox_access').select('secret_hash').execute()
    expect(accesses).not.toContainEqual({ secret_hash: 'old' })
    expect((await cp.person().get(link.pathname + link.search)).status).toBe(303)
  })

  test('escapes what people wrote', async () => {
    const mallory = cp.person()
    await mallory.signUp({ email: 'mallory@example.org', name: '<img src=x onerror=alert(1)>' })
    const { organization } = (
      await mallory.post('/api/provisioning/orgs/self-hosted', { name: '<script>bad</script>' })
    ).body
    await mallory.post('/api/auth/organization/invite-member', {
      organizationId: organization.id,
      email: 'x@example.org',
      role: 'member',
    })
    await cp.mailTo('x@example.org', 'invitation')
    const owner = cp.person()
    const { pathname, search } = new URL(await cp.outbox.mintLink(cp.origin))
    await owner.get(pathname + search)
    const { text } = await owner.get('/outbox')
    expect(text).toContain('&lt;script&gt;bad&lt;/script&gt;')
    expect(text).not.toMatch(/<script|<img/)
  })
})

describe('the schema', () => {
  const log = createLog({ service: 'test', level: 'silent' })

  test('a newer schema is left alone by an older build, which is ready on it', async () => {
    verifies('cp.migrations-older-build')
    const { url, drop } = await createEmptyDatabase()
    const { db, close } = openDatabase({ url, log, max: 2 })
    try {
      await migrate(db)
      await sql`insert into kysely_migration (name, timestamp) values ('9999-of-a-newer-build', '')`.execute(db)
      expect(await migrate(db)).toEqual([])
      expect(await pendingMigrations(db)).toEqual([])

      const newest = Object.keys(migrations).at(-1)!
      await sql`delete from kysely_migration where name = ${newest}`.execute(db)
      await expect(migrate(db)).rejects.toThrow('9999-of-a-newer-build')
    } finally {
      await close()
      await drop()
    }
  })

  test('two migrators at once do it once; the sign-in library has nothing to add', async () => {
    verifies('cp.migrations')
    const { url, drop } = await createEmptyDatabase()
    const databases = [openDatabase({ url, log, max: 2 }), openDatabase({ url, log, max: 2 })] as const
    try {
      expect(await pendingMigrations(databases[0].db)).toEqual(Object.keys(migrations))
      const [first, second] = await Promise.all(databases.map(({ db }) => migrate(db)))
      expect([...first!, ...second!]).toEqual(Object.keys(migrations))
      expect(await migrate(databases[0].db)).toEqual([])

      const nothing = async () => {}
      const secret = new Secret('x'.repeat(32))
      const options = authOptions({
        config: {
          baseUrl: 'http://localhost:1',
          authSecret: secret,
          google: undefined,
          oidc: undefined,
        },
        db: databases[0].db,
        log,
        cookieName: 'c',
        passwords: createPasswords(),
        events: {
          onSignedIn: nothing,
          sendVerification: nothing,
          sendMagicLink: nothing,
          sendPasswordReset: nothing,
          onReset: nothing,
          onAppOpened: nothing,
        },
      })
      expect(await missingAuthSchema(options)).toEqual([])
      const secrets = { seal: (text: string) => text, open: (text: string) => text }
      const oauth = { options, baseUrl: 'http://localhost:1', secrets, secret, previousSecret: undefined }
      expect(await missingAuthSchema(oauthOptions(oauth))).toEqual([])
    } finally {
      for (const { close } of databases) await close()
      await drop()
    }
  })

  test('a replica is not ready on an older schema', async () => {
    verifies('cp.ready-schema')
    const behind = await startControlPlane()
    try {
      expect((await behind.person().get('/ready')).status).toBe(200)
      const last = Object.keys(migrations).at(-1)!
      await behind.db
        .withTables<{ kysely_migration: { name: string } }>()
        .deleteFrom('kysely_migration')
        .where('name', '=', last)
        .execute()
      const answer = await behind.person().get('/ready')
      expect([answer.status, answer.body]).toEqual([503, { ok: false }])
    } finally {
      await behind.stop()
    }
  })
})

test('no secret reaches a log or a metric', async () => {
  verifies('security.log-canary')
  const canary = await startControlPlane()
  try {
    const person = canary.person()
    const password = 'canary-password-7f3a'
    await person.signUp({ email: 'canary-person@example.org', password })
    const verification = mailedToken(await canary.mailTo(person.email))
    const created = (await person.post('/api/provisioning/orgs/self-hosted', { name: 'Canary' })).body
    await canary.person().post('/api/auth/sign-in/magic-link', { email: person.email })
    const magic = mailedToken(await canary.mailTo(person.email, 'magic-link'))
    await canary.person().post('/api/auth/magic-link/verify', { token: magic })
    await person.get('/api/settings?secret=canary-query-51c2')
    await person.get('/api/vaults', { headers: { authorization: 'Bearer canary-bearer-aa10' } })
    await person.post('/api/auth/reset-password', { token: 'canary-token-0d3e', newPassword: 'canary-new-password-88' })
    await person.post(`/api/orgs/${created.organization.slug}/vaults/canary-vault-path/entry`)
    const outboxLink = new URL(await canary.outbox.mintLink(canary.origin)).search
    await canary.person().get(`/outbox${outboxLink}`)

    const texts = canary.logged() + (await canary.metrics())
    expect(texts).toContain('"route":"/api/settings"')
    expect(texts).toContain('c…@example.org')
    const secrets = [
      password,
      verification,
      magic,
      created.apiKey,
      'canary-query-51c2',
      'canary-bearer-aa10',
      'canary-token-0d3e',
      'canary-new-password-88',
      outboxLink.slice('?link='.length),
      'canary-person@',
      ...person.cookies.values(),
    ]
    for (const secret of secrets) expect(texts.includes(secret), secret).toBe(false)
  } finally {
    await canary.stop()
  }
})
