import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { clientsRepository } from '../../control-plane/src/oauth/clients.repository.ts'
import { verifies } from '../requirements.ts'
import { consent, LOOPBACK_REDIRECT, rawAgent } from '../support/agent-client.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import type { Person } from '../support/person.ts'

// Each test replays requests that a known program was seen to send, or behaviour that it needs. The comment names the
// report.
let offset = 0
const clock: Clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + offset) }

let cp: TestControlPlane
let ada: Person
let agent: ReturnType<typeof rawAgent>
let vaults: { orgId: string; vaultId: null }[]

beforeAll(async () => {
  cp = await startControlPlane({ environment: { MCP_ENABLED: '1' }, clock })
  agent = rawAgent(cp.origin)
  ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  const { organization } = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body
  vaults = [{ orgId: organization.id, vaultId: null }]
})
afterAll(() => cp.stop())

const register = async (body: object = {}): Promise<string> =>
  (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT], ...body })).body.client_id
/** Where the authorization request of a client redirects a signed-in browser. */
const led = async (clientId: string, query: Record<string, string>): Promise<string> =>
  (await ada.get(agent.authorizationUrl(clientId, query).slice(cp.origin.length))).headers['location'] ?? ''

test('Claude goes on after discovery: the resource is the address that was typed, in JSON', async () => {
  verifies('agents.known-clients') // twentyhq/twenty#19766
  for (const end of ['', '/mcp']) {
    const { body, headers } = await cp.raw('GET', `/.well-known/oauth-protected-resource${end}`, {})
    expect([body.resource, headers['content-type']]).toEqual([
      `${cp.origin}/mcp`,
      expect.stringContaining('application/json'),
    ])
  }
})

test('Claude goes on after registration: metadata documents are offered, and clients without a secret', async () => {
  verifies('agents.known-clients') // brendanlong/lion-reader#1519
  const { body } = await cp.raw('GET', '/.well-known/oauth-authorization-server', {})
  expect(body).toMatchObject({
    client_id_metadata_document_supported: true,
    token_endpoint_auth_methods_supported: expect.arrayContaining(['none', 'client_secret_post']) as string[],
    code_challenge_methods_supported: ['S256'],
  })
})

test('tldraw asks for the right scopes: the challenge names them', async () => {
  verifies('agents.known-clients') // tldraw/tldraw#10612
  const headers = { 'content-type': 'application/json' }
  const answer = await cp.raw('POST', '/mcp', { headers, body: '{}' })
  expect(answer.headers['www-authenticate']).toMatch(/scope="read write"/)
})

test('pages of the web read the challenge and the session id', async () => {
  verifies('agents.known-clients') // twentyhq/twenty#19836
  const headers = { 'content-type': 'application/json', origin: 'https://inspector.example' }
  const answer = await cp.raw('POST', '/mcp', { headers, body: '{}' })
  const exposed = (answer.headers['access-control-expose-headers'] ?? '').toLowerCase()
  expect(exposed).toContain('www-authenticate')
  expect(exposed).toContain('mcp-session-id')
})

test.each(['http://127.0.0.1:50001/callback', 'http://localhost:50002/callback'])(
  'VS Code comes back on a port that it did not register: %s',
  async (redirect) => {
    verifies('agents.known-clients') // microsoft/vscode#278512, better-auth/better-auth#10937
    const registered = redirect.replace(/:\d+/, ':33418')
    const clientId = await register({ redirect_uris: [registered] })
    const back = await consent(ada, agent.authorizationUrl(clientId, { redirect_uri: redirect }), { vaults })
    expect(back.href.startsWith(redirect)).toBe(true)
    expect(await led(clientId, { redirect_uri: redirect.replace('/callback', '/other') })).not.toMatch(/^\/consent/)
  },
)

test('Cursor registers three addresses, one of them an app, and uses any', async () => {
  verifies('agents.known-clients') // erp-mafia/accounted#2225
  const redirects = [
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'https://www.cursor.com/agents/mcp/oauth/callback',
    'http://localhost:8787/callback',
  ]
  const clientId = await register({ redirect_uris: redirects })
  for (const redirect of redirects) expect(await led(clientId, { redirect_uri: redirect })).toMatch(/^\/consent\?/)
})

test('Claude leaves the resource out, and gets tokens that the endpoint takes', async () => {
  verifies('agents.known-clients') // kentcdodds/kody#948, anthropics/claude-code#90497
  const clientId = await register()
  const back = await consent(ada, agent.authorizationUrl(clientId), { vaults })
  const { body } = await agent.exchange(clientId, back.searchParams.get('code') ?? '')
  expect((await agent.mcp(body.access_token)).status).toBe(200)
})

test('Claude registers twice for one attempt: the second one works, the first goes after a day', async () => {
  verifies('agents.known-clients', 'agents.registration') // anthropics/claude-ai-mcp#966
  const [unused, used] = [await register(), await register()]
  const back = await consent(ada, agent.authorizationUrl(used), { vaults })
  const { body } = await agent.exchange(used, back.searchParams.get('code') ?? '')
  const known = async () => {
    const rows = await cp.db.selectFrom('oauthClient').select('clientId').execute()
    return [unused, used].map((id) => rows.some(({ clientId }) => clientId === id))
  }
  const clients = clientsRepository(cp.db, clock)
  await clients.deleteUnused()
  expect(await known()).toEqual([true, true])
  offset += 25 * 3_600_000
  await clients.deleteUnused()
  expect(await known()).toEqual([false, true])
  expect((await agent.refresh(used, body.refresh_token)).status).toBe(200)
})
