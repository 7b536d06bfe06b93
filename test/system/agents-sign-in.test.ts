import { Client as NextClient, StreamableHTTPClientTransport as NextTransport } from '@modelcontextprotocol/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import {
  callTool,
  connectAgent,
  consent,
  dialLoopback,
  LOOPBACK_REDIRECT,
  memoryProvider,
  rawAgent,
} from '../support/agent-client.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import type { Answer, Person } from '../support/person.ts'
import { until } from '../support/until.ts'

let cp: TestControlPlane
let ada: Person
let acme: { id: string; slug: string }
let agent: ReturnType<typeof rawAgent>
const everything = () => ({ vaults: [{ orgId: acme.id, vaultId: null }] })

beforeAll(async () => {
  cp = await startControlPlane({ environment: { MCP_ENABLED: '1' } })
  agent = rawAgent(cp.origin)
  ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  acme = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
})
afterAll(() => cp.stop())

/** Registers and signs in step by step; returns the tokens. */
async function signIn(person = ada, more: { body?: object; query?: Record<string, string> } = {}) {
  const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT], ...more.body })).body
  const back = await consent(person, agent.authorizationUrl(client_id, more.query), everything())
  const { body, status } = await agent.exchange(client_id, back.searchParams.get('code') ?? '')
  expect(status).toBe(200)
  return { clientId: client_id as string, access: body.access_token as string, refresh: body.refresh_token as string }
}

describe('a program that knows the address alone', () => {
  test('connects with the first SDK and lists organizations', async () => {
    verifies('agents.connect', 'mcp.control-plane', 'mcp.token-budget')
    const { client, kept } = await connectAgent(cp.origin, ada, everything())
    const { orgs } = await callTool(client, 'list_orgs')
    expect(orgs).toEqual([{ org: acme.slug, name: 'Acme', access: 'write', approval: 'not requested' }])
    expect(kept.tokens?.refresh_token).toBeTypeOf('string')

    const { tools } = await client.listTools()
    expect(tools[0]?.name).toBe('list_orgs')
    for (const { name, inputSchema } of tools.slice(1)) expect(inputSchema.required, name).toContain('org')
    const without = await callTool(client, 'list_vaults')
    expect(without).toMatchObject({ isError: true, code: 'invalid_request', message: expect.stringContaining('org') })
    expect(JSON.stringify(tools.map((tool) => ({ ...tool, outputSchema: undefined }))).length / 4).toBeLessThan(2_500)
    expect(JSON.stringify(tools).length / 4).toBeLessThan(4_000)
  })

  test('connects with the second SDK', async () => {
    verifies('agents.connect')
    const { provider, kept } = memoryProvider()
    const open = () =>
      new NextTransport(new URL(`${cp.origin}/mcp`), { authProvider: provider as never, fetch: dialLoopback as never })
    const first = open()
    await new NextClient({ name: 'archivist', version: '2' }).connect(first).catch(() => undefined)
    const back = await consent(ada, kept.url ?? '', everything())
    await first.finishAuth(back.searchParams)
    const client = new NextClient({ name: 'archivist', version: '2' })
    await client.connect(open())
    expect(await client.callTool({ name: 'list_orgs', arguments: {} })).toMatchObject({
      structuredContent: { orgs: [{ org: acme.slug }] },
    })
  })

  test('speaks 2025-03-26 with a session id', async () => {
    const { access } = await signIn()
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
    }
    const answer = await agent.mcp(access, { message: initialize })
    expect([200, 202]).toContain(answer.status)
    expect(answer.headers['mcp-session-id']).toBeTypeOf('string')
    expect(answer.text).toContain('2025-03-26')
  })
})

describe('discovery', () => {
  test('answers on every variant of the paths, absolute and without null', async () => {
    verifies('agents.connect')
    const variants = ['', '/mcp'].flatMap((end) => [
      `/.well-known/oauth-protected-resource${end}`,
      `/.well-known/oauth-authorization-server${end}`,
    ])
    for (const path of [...variants, '/mcp/.well-known/oauth-protected-resource']) {
      const { status, body, headers } = await cp.raw('GET', path, { headers: { origin: 'https://inspector.example' } })
      expect([path, status, headers['access-control-allow-origin']]).toEqual([path, 200, '*'])
      expect(Object.values(body)).not.toContain(null)
      expect(headers['content-type']).toContain('application/json')
    }
    const { headers, status } = await cp.raw('POST', '/mcp', {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(status).toBe(401)
    expect(headers['www-authenticate']).toContain(
      `resource_metadata="${cp.origin}/.well-known/oauth-protected-resource/mcp", scope="read write"`,
    )
    const preflight = await cp.raw('OPTIONS', '/mcp', { headers: { origin: 'http://localhost:6274' } })
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([
      204,
      expect.stringContaining('Authorization'),
    ])
    expect((await cp.raw('GET', '/.well-known/openid-configuration', { headers: { accept: '*/*' } })).status).toBe(404)
  })

  test('none of it is there while agents are not enabled', async () => {
    verifies('agents.off', 'service.mcp-worker-optional')
    const off = await startControlPlane()
    try {
      const posts = ['/mcp', '/oauth2/register', '/oauth2/token', '/oauth2/revoke', '/oauth2/consent']
      for (const path of posts)
        expect([
          path,
          (await off.raw('POST', path, { headers: { 'content-type': 'application/json' }, body: '{}' })).status,
        ]).toEqual([path, 404])
      const gets = [
        '/mcp',
        '/oauth2/authorize',
        '/.well-known/oauth-protected-resource',
        '/.well-known/oauth-authorization-server',
        '/.well-known/oauth-protected-resource/mcp',
      ]
      for (const path of gets)
        expect([path, (await off.raw('GET', path, { headers: { accept: 'text/html,*/*' } })).status]).toEqual([
          path,
          404,
        ])
    } finally {
      await off.stop()
    }
  })
})

test('a process for agents alone serves them and nothing else', async () => {
  verifies('service.mcp-worker-optional')
  const alone = await startControlPlane({ environment: { MCP_ENABLED: '1', SVC_ROLE: 'mcp' } })
  try {
    const status = async (method: string, path: string) =>
      (await alone.raw(method, path, { headers: { 'content-type': 'application/json' }, body: method === 'GET' ? undefined : '{}' })).status // prettier-ignore
    expect(await status('GET', '/.well-known/oauth-protected-resource/mcp')).toBe(200)
    expect(await status('POST', '/mcp')).toBe(401)
    for (const path of ['/api/settings', '/api/settings/agents', '/api/admin/agent-rules', '/api/auth/get-session'])
      expect([path, await status('GET', path)]).toEqual([path, 404])
    expect(await status('GET', '/api/health')).toBe(200)
  } finally {
    await alone.stop()
  }
})

describe('registration', () => {
  test.each<[string, object]>([
    ['no application type, no method', {}],
    ['a foreign scope', { scope: ' read foo' }],
    ['scope null', { scope: null }],
    ['empty lists', { grant_types: [], response_types: [] }],
    ['a device grant', { grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }],
    ['an app of its maker', { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback', LOOPBACK_REDIRECT] }],
    ['an app that we do not know beside a good address', { redirect_uris: ['vscode://x/y', LOOPBACK_REDIRECT] }],
    ['a secret by post', { token_endpoint_auth_method: 'client_secret_post' }],
  ])('takes what clients send: %s', async (_sentence, body) => {
    verifies('agents.registration')
    const { status, body: client } = await agent.register({ redirect_uris: [LOOPBACK_REDIRECT], ...body })
    expect(status).toBe(201)
    expect(Object.values(client)).not.toContain(null)
    expect(client.redirect_uris).toContain(LOOPBACK_REDIRECT)
    expect(client.client_secret !== undefined).toBe(client.token_endpoint_auth_method !== 'none')
  })

  test.each<[string, unknown]>([
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['a script beside a good address', { redirect_uris: ['javascript:alert(1)', LOOPBACK_REDIRECT] }],
    ['a script that looks like an app', { redirect_uris: ['javascript://x/%0aalert(1)', LOOPBACK_REDIRECT] }],
    ['data', { redirect_uris: ['data:text/html,x'] }],
    ['http elsewhere', { redirect_uris: ['http://evil.example/cb', LOOPBACK_REDIRECT] }],
    ['a user in the address', { redirect_uris: ['https://claude.ai@evil.example/cb'] }],
    ['a fragment', { redirect_uris: ['https://evil.example/cb#x'] }],
    ['a very long address', { redirect_uris: [`https://evil.example/${'a'.repeat(600)}`] }],
    [
      'a thousand addresses',
      { redirect_uris: Array.from({ length: 1_000 }, (_, index) => `https://a.example/${index}`) },
    ],
    ['no addresses', { redirect_uris: [] }],
    ['no object', '[]'],
    ['no JSON', '{'],
  ])('refuses %s', async (_sentence, body) => {
    verifies('agents.registration')
    const { status } = await agent.register(body)
    expect([400, 413]).toContain(status)
  })

  test('shows a claimed name as plain short text', async () => {
    verifies('agents.registration')
    const name = `Clau\u202ede \u0000 ${'x'.repeat(20_000)}`
    const { body } = await agent.register({ redirect_uris: [LOOPBACK_REDIRECT], client_name: name })
    expect(body.client_name).toMatch(/^Clau de x{1,60}$/)
    expect(body.client_name.length).toBeLessThanOrEqual(60)
  })

  test('is limited for one address', async () => {
    verifies('agents.registration')
    const strict = await startControlPlane({ environment: { MCP_ENABLED: '1', ENVIRONMENT: 'staging' } })
    try {
      const statuses = []
      for (let count = 0; count < 22; count++)
        statuses.push((await rawAgent(strict.origin).register({ redirect_uris: [LOOPBACK_REDIRECT] })).status)
      expect(statuses.filter((status) => status === 201)).toHaveLength(20)
      expect(statuses.at(-1)).toBe(429)
    } finally {
      await strict.stop()
    }
  })

  test('can be switched off, and is then not listed', async () => {
    verifies('agents.registration')
    const closed = await startControlPlane({ environment: { MCP_ENABLED: '1', MCP_REGISTRATION: 'off' } })
    try {
      expect((await rawAgent(closed.origin).register({ redirect_uris: [LOOPBACK_REDIRECT] })).status).toBe(404)
      const { body } = await closed.raw('GET', '/.well-known/oauth-authorization-server', {})
      expect(body.registration_endpoint).toBeUndefined()
    } finally {
      await closed.stop()
    }
  })
})

describe('authorization', () => {
  test('forgives a missing or near resource, blanks in the scope and a missing refresh scope', async () => {
    verifies('agents.connect')
    for (const query of [{}, { resource: `${cp.origin}/mcp/` }, { resource: cp.origin }, { scope: ' read  write ' }]) {
      const { refresh } = await signIn(ada, { query: query as Record<string, string> })
      expect(refresh).toBeTypeOf('string')
    }
  })

  test('asks for consent every time, and refuses what is unsafe', async () => {
    verifies('agents.confused-deputy')
    const { clientId } = await signIn()
    const again = await ada.get(
      new URL(agent.authorizationUrl(clientId, { prompt: 'none' })).href.slice(cp.origin.length),
    )
    expect(again.headers['location']).toMatch(/^\/consent\?/)
    for (const [query, error] of [
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge: '' }, 'invalid_request'],
    ] as [Record<string, string>, string][]) {
      const answer = await ada.get(agent.authorizationUrl(clientId, query).slice(cp.origin.length))
      expect(new URL(answer.headers['location']!, cp.origin).searchParams.get('error')).toBe(error)
    }
    const elsewhere = await ada.get(
      agent.authorizationUrl(clientId, { redirect_uri: 'https://evil.example/cb' }).slice(cp.origin.length),
    )
    expect(new URL(elsewhere.headers['location']!, cp.origin).origin).toBe(cp.origin)
    const stranger = await cp.raw('GET', agent.authorizationUrl(clientId).slice(cp.origin.length), {})
    expect(stranger.headers['location']).toMatch(/^\/connect\?response_type=code/)
  })

  test('a person who refuses sends the program away', async () => {
    const { clientId } = await signIn()
    const back = await consent(ada, agent.authorizationUrl(clientId), 'refuse')
    expect(back.searchParams.get('error')).toBe('access_denied')
  })

  test('consent needs a session of the web app and a query that was not changed', async () => {
    verifies('agents.confused-deputy')
    const { clientId } = await signIn()
    const asked = await ada.get(agent.authorizationUrl(clientId).slice(cp.origin.length))
    const query = new URL(asked.headers['location']!, cp.origin).search.slice(1)
    const body = { decision: 'connect', query, access: 'write', ...everything() }
    expect((await cp.person().post('/oauth2/consent', body)).status).toBe(401)
    const foreign = await ada.post('/oauth2/consent', body, { headers: { origin: 'https://evil.example' } })
    expect(foreign.status).toBe(403)
    const changed = query.replace('33418', '33419')
    expect((await ada.post('/oauth2/consent', { ...body, query: changed })).status).toBe(400)
    const outsider = cp.person()
    await outsider.signUp({ email: 'outsider@example.org' })
    expect((await outsider.post('/oauth2/consent', body)).status).toBe(404)
  })
})

describe('tokens', () => {
  test('a code works once, with its verifier, and an unknown client is told to register again', async () => {
    const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
    const back = await consent(ada, agent.authorizationUrl(client_id), everything())
    const code = back.searchParams.get('code') ?? ''
    expect(back.searchParams.get('iss')).toBe(cp.origin)
    const first = await agent.exchange(client_id, code)
    expect(first.status).toBe(200)
    expect((await agent.exchange(client_id, code)).body.error).toBe('invalid_grant')
    expect((await agent.mcp(first.body.access_token)).status).toBe(401)
    const unknown = await agent.exchange('never-registered', code)
    expect([unknown.status, unknown.body.error]).toEqual([401, 'invalid_client'])
  })

  test('twenty refreshes at once get one pair', async () => {
    verifies('agents.refresh')
    const { clientId, refresh } = await signIn()
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent.refresh(clientId, refresh)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    expect((await agent.mcp(answers[0]!.body.access_token)).status).toBe(200)
  })

  test('a refresh waits for a concurrent one that has replaced the token and is slow to answer', async () => {
    verifies('agents.refresh')
    const { clientId, refresh } = await signIn()
    const answers = await cp.db.transaction().execute(async (trx) => {
      await sql`lock table "oauthAccessToken" in share mode`.execute(trx)
      const both = Promise.all([agent.refresh(clientId, refresh), agent.refresh(clientId, refresh)])
      await until('the token is replaced', async () => {
        const { rows } = await sql`
          select from "oauthRefreshToken" where "clientId" = ${clientId} and "rotatedAt" is not null`.execute(trx)
        return rows.length === 1
      })
      await systemClock.sleep(1_500)
      return () => both
    })
    const [one, other] = await answers()
    expect([one?.status, other?.status]).toEqual([200, 200])
    expect(one?.body.refresh_token).toBe(other?.body.refresh_token)
  })

  test('a client with a secret needs it', async () => {
    const { body: client } = await agent.register({
      redirect_uris: [LOOPBACK_REDIRECT],
      token_endpoint_auth_method: 'client_secret_post',
    })
    const code = async () =>
      (await consent(ada, agent.authorizationUrl(client.client_id), everything())).searchParams.get('code') ?? ''
    expect((await agent.exchange(client.client_id, await code())).body.error).toMatch(/^invalid_/)
    const good = await agent.exchange(client.client_id, await code(), { client_secret: client.client_secret })
    expect(good.status).toBe(200)
  })

  test('only tokens for this endpoint are taken', async () => {
    verifies('agents.audience')
    const { access, refresh } = await signIn()
    const session = [...ada.cookies.values()][0] ?? ''
    for (const token of [refresh, session.split('.')[0]!, `${access}x`, 'x'.repeat(500)])
      expect((await agent.mcp(token)).status).toBe(401)
    expect((await ada.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(401)
    await cp.db
      .updateTable('oauthAccessToken')
      .set({ resources: JSON.stringify(['https://other.example/mcp']) })
      .execute()
    expect((await agent.mcp(access)).status).toBe(401)
  })

  test('revoking a token ends it', async () => {
    verifies('agents.revocation')
    const { clientId, access, refresh } = await signIn()
    const revoked = await agent.form('/oauth2/revoke', { client_id: clientId, token: refresh })
    expect(revoked.status).toBe(200)
    expect((await agent.refresh(clientId, refresh)).body.error).toBe('invalid_grant')
    expect((await agent.mcp(access)).status).toBe(401)
    for (const token of [refresh, access, 'a token that nobody has'])
      expect((await agent.form('/oauth2/revoke', { client_id: clientId, token })).status, 'it is not there').toBe(200)
    expect((await agent.form('/oauth2/revoke', { client_id: clientId })).status, 'no token').toBe(400)
    expect((await agent.form('/oauth2/revoke', { client_id: 'nobody', token: refresh })).body.error).toBe(
      'invalid_client',
    )
  })
})

/** Sends a request until the limit refuses one, also when the minute of the limit ends meanwhile. */
async function firstRefused(send: () => Promise<Answer>): Promise<Answer> {
  for (let times = 0; times < 7; times++) {
    const answers = await Promise.all(Array.from({ length: 100 }, send))
    const refused = answers.find(({ status }) => status === 429)
    if (refused !== undefined) return refused
  }
  throw new Error('no request was refused')
}

test('many programs of one address are told to try again, and those with expired tokens to renew them', async () => {
  verifies('agents.refresh')
  const strict = await startControlPlane({ environment: { MCP_ENABLED: '1', ENVIRONMENT: 'staging' } })
  try {
    const program = rawAgent(strict.origin)
    const eve = strict.person()
    await eve.signUp({ email: 'eve@example.org' })
    const { organization } = (await eve.post('/api/provisioning/orgs/self-hosted', { name: 'Eve' })).body
    const { client_id: clientId } = (await program.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
    const vaults = [{ orgId: organization.id, vaultId: null }]
    const back = await consent(eve, program.authorizationUrl(clientId), { vaults })
    const { access_token: access } = (await program.exchange(clientId, back.searchParams.get('code') ?? '')).body
    await strict.db
      .updateTable('oauthAccessToken')
      .set({ expiresAt: new Date(0) })
      .execute()
    const statusesOf = async (count: number, token: string) =>
      new Set((await Promise.all(Array.from({ length: count }, () => program.mcp(token)))).map(({ status }) => status))
    expect(await statusesOf(100, access)).toEqual(new Set([401]))
    expect(await statusesOf(1, 'guessed')).toEqual(new Set([401]))
    await firstRefused(() => program.mcp('guessed'))
    expect(await statusesOf(1, access)).toEqual(new Set([401]))

    const refused = await firstRefused(() => program.refresh(clientId, 'unknown'))
    expect(refused.body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  } finally {
    await strict.stop()
  }
})

test('a token is revoked also when its program names the wrong kind, and never by a request that is not understood', async () => {
  verifies('agents.revocation')
  const { clientId, access, refresh } = await signIn()
  const other = await signIn()
  const revoke = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    agent.form('/oauth2/revoke', { client_id: clientId, ...fields }, headers)

  const accessToken = { token: access, token_type_hint: 'refresh_token' }
  expect((await revoke(accessToken)).status).toBe(200)
  expect((await agent.mcp(access)).status).toBe(401)
  const refreshToken = { token: refresh, token_type_hint: 'access_token' }
  expect((await revoke(refreshToken)).status).toBe(200)
  expect((await agent.refresh(clientId, refresh)).body.error).toBe('invalid_grant')
  expect((await revoke(refreshToken)).status, 'it is not there').toBe(200)

  const authorization = `Basic ${Buffer.from(`${other.clientId}:secret`).toString('base64')}`
  const twice = await revoke(
    { client_id: other.clientId, token: other.refresh, client_secret: 'secret' },
    { authorization },
  )
  expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request'])
  expect((await agent.refresh(other.clientId, other.refresh)).status).toBe(200)
})

test('no token, code or secret of a client is in the log or stored as it is', async () => {
  verifies('agents.audience')
  const { body: client } = await agent.register({
    redirect_uris: [LOOPBACK_REDIRECT],
    token_endpoint_auth_method: 'client_secret_basic',
  })
  const back = await consent(ada, agent.authorizationUrl(client.client_id), everything())
  const code = back.searchParams.get('code') ?? ''
  const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')
  const { body } = await agent.form(
    '/oauth2/token',
    { grant_type: 'authorization_code', code, redirect_uri: LOOPBACK_REDIRECT, code_verifier: agent.verifier },
    { authorization: `Basic ${basic}` },
  )
  await agent.mcp(body.access_token)
  const secrets = [code, client.client_secret, body.access_token, body.refresh_token]
  const tables = ['oauthClient', 'oauthAccessToken', 'oauthRefreshToken', 'verification'] as const
  const rows = await Promise.all(tables.map((table) => cp.db.selectFrom(table).selectAll().execute()))
  for (const secret of secrets) {
    expect(secret).toMatch(/^.{30,}$/)
    expect(cp.logged()).not.toContain(secret)
    expect(JSON.stringify(rows)).not.toContain(secret)
  }
})

describe('sessions', () => {
  test('an id works for its person and client alone, and not after its end', async () => {
    verifies('agents.sessions')
    const mine = await signIn()
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }
    const id = (await agent.mcp(mine.access, { message: initialize })).headers['mcp-session-id']!
    const headers = { 'mcp-session-id': id }
    expect((await agent.mcp(mine.access, { headers })).status).toBe(200)

    const otherClient = await signIn()
    expect((await agent.mcp(otherClient.access, { headers })).status).toBe(404)
    const refreshed = (await agent.refresh(mine.clientId, mine.refresh)).body.access_token
    expect((await agent.mcp(refreshed, { headers })).status).toBe(200)
    expect((await agent.mcp(refreshed, { headers: { 'mcp-session-id': 'forged' } })).status).toBe(404)
    expect((await agent.mcp(otherClient.access, { headers, method: 'GET' })).status).toBe(404)
    expect((await agent.mcp(refreshed, { method: 'GET' })).status).toBe(405)
    expect((await agent.mcp(refreshed, { headers, method: 'DELETE' })).status).toBe(204)
    expect((await agent.mcp(refreshed, { headers })).status).toBe(404)
  })

  test('a page or host name of somebody else is refused before the token is looked at', async () => {
    const { access } = await signIn()
    expect((await agent.mcp(access, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await agent.mcp(access, { headers: { host: 'evil.example' } })).status).toBe(403)
    expect((await agent.mcp(access, { headers: { origin: 'http://localhost:6274' } })).status).toBe(200)
    expect((await agent.mcp(access, { message: '{' })).status).toBeLessThan(500)
  })
})
