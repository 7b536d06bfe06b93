import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrivateKeyJwtAuth } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFetchDocument } from '../../control-plane/src/oauth/fetch-document.ts'
import { isPublicAddress } from '../../control-plane/src/oauth/public-address.ts'
import { verifies } from '../requirements.ts'
import { consent, LOOPBACK_REDIRECT, rawAgent } from '../support/agent-client.ts'
import { makeCertificate } from '../support/certificates.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import type { Person } from '../support/person.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { PATIENCE_MS } from '../support/until.ts'

const HOST = 'agent.example'
const CLIENT = `https://${HOST}/client.json`
const document = { client_id: CLIENT, client_name: 'Archivist', redirect_uris: [LOOPBACK_REDIRECT] }

let folder: string
let server: Server
let connectTo: { port: number; ca: string }
let answer: { status: number; headers?: Record<string, string>; body: string }
let asked: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-documents-'))
  const { key, cert } = await makeCertificate(folder, HOST)
  server = createServer({ key, cert }, (request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  connectTo = { port: (server.address() as AddressInfo).port, ca: cert }
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await removeFolder(folder)
})
beforeEach(() => {
  asked = []
  answer = { status: 200, body: JSON.stringify(document) }
})

/**
 * The real fetch, to a server that stands in for the public web: its name resolves to this machine, which is allowed
 * here.
 */
const fetchHere = () =>
  createFetchDocument({
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    isAllowed: (address) => address === '127.0.0.1',
    connectTo,
    patienceMs: PATIENCE_MS,
  })

describe('the fetch', () => {
  test('reads a document', async () => {
    verifies('agents.metadata-document')
    expect(await fetchHere()(CLIENT)).toEqual(document)
  })

  test.each<[string, typeof answer]>([
    ['a redirect', { status: 302, headers: { location: 'https://agent.example/other.json' }, body: '' }],
    ['a failure', { status: 500, body: '{}' }],
    ['a page', { status: 200, headers: { 'content-type': 'text/html' }, body: '{}' }],
    ['what is no JSON', { status: 200, body: '{' }],
    ['too much', { status: 200, body: JSON.stringify({ client_name: 'x'.repeat(40_000) }) }],
  ])('takes no %s', async (_sentence, given) => {
    verifies('agents.metadata-document')
    answer = given
    await expect(fetchHere()(CLIENT)).rejects.toThrow()
    expect(asked).toHaveLength(1)
  })

  test('ends when the server changes to another protocol', async () => {
    verifies('agents.metadata-document')
    const change = (_request: unknown, { socket }: { socket: Duplex | null }) =>
      void socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
    server.prependOnceListener('request', change)
    await expect(fetchHere()(CLIENT)).rejects.toThrow('ended')
  })

  test.each([
    'http://agent.example/client.json',
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://2130706433/client.json',
    'https://localhost/client.json',
    'https://agent.example:8443/client.json',
    'https://user@agent.example/client.json',
    'https://agent.example/a/../client.json',
    'https://agent.example./client.json',
    'https://agent.example/client.json#x',
    'file:///etc/passwd',
    `https://agent.example/${'a'.repeat(600)}`,
  ])('looks nothing up for %s', async (url) => {
    verifies('agents.metadata-document')
    const names: string[] = []
    const lookup = async (name: string) => {
      names.push(name)
      return [{ address: '127.0.0.1', family: 4 }]
    }
    await expect(createFetchDocument({ lookup, isAllowed: () => true, connectTo })(url)).rejects.toThrow()
    expect([names, asked]).toEqual([[], []])
  })

  test.each([['127.0.0.1'], ['169.254.169.254'], ['10.0.0.1'], ['::1'], ['fd00::1'], ['::ffff:127.0.0.1']])(
    'connects to no name that leads to %s, not even beside a public address',
    async (address) => {
      verifies('agents.metadata-document')
      const lookup = async () => [
        { address: '1.1.1.1', family: 4 },
        { address, family: address.includes(':') ? 6 : 4 },
      ]
      await expect(createFetchDocument({ lookup, connectTo })(CLIENT)).rejects.toThrow('public web')
      expect(asked).toEqual([])
    },
  )

  test('connects to the address that it checked, whatever the name says later', async () => {
    verifies('agents.metadata-document')
    let times = 0
    const lookup = async () => [{ address: times++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
    const isAllowed = (address: string) => address === '127.0.0.1' || isPublicAddress(address)
    expect(await createFetchDocument({ lookup, isAllowed, connectTo, patienceMs: PATIENCE_MS })(CLIENT)).toEqual(
      document,
    )
    expect(times).toBe(1)
  })
})

describe('a client with a document', () => {
  let cp: TestControlPlane
  let ada: Person
  let agent: ReturnType<typeof rawAgent>
  let vaults: { orgId: string; vaultId: null }[]

  beforeAll(async () => {
    cp = await startControlPlane({
      environment: { MCP_ENABLED: '1', MCP_REGISTRATION: 'off' },
      fetchDocument: fetchHere(),
    })
    agent = rawAgent(cp.origin)
    ada = cp.person()
    await ada.signUp({ email: 'ada@example.org' })
    const { organization } = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body
    vaults = [{ orgId: organization.id, vaultId: null }]
  })
  afterAll(() => cp.stop())
  beforeEach(() => cp.db.deleteFrom('oauthClient').execute())

  const authorize = (id = CLIENT) => ada.get(agent.authorizationUrl(id).slice(cp.origin.length))

  test('connects without registration; strangers cause no fetch, and it is read once an hour', async () => {
    verifies('agents.metadata-document')
    await cp.person().get(agent.authorizationUrl(CLIENT).slice(cp.origin.length))
    expect(asked).toEqual([])

    const back = await consent(ada, agent.authorizationUrl(CLIENT), { vaults })
    const { body, status } = await agent.exchange(CLIENT, back.searchParams.get('code') ?? '')
    expect([status, asked]).toEqual([200, ['/client.json']])
    await authorize()
    expect(asked).toHaveLength(1)
    const query = new URLSearchParams({ client_id: CLIENT, redirect_uri: LOOPBACK_REDIRECT })
    expect((await ada.get(`/oauth2/consent?${query}`)).body.client).toMatchObject({ documentHost: HOST })

    answer = { status: 404, body: '' }
    expect((await agent.refresh(CLIENT, body.refresh_token)).status).toBe(200)
    expect(asked).toHaveLength(1)
  })

  test('may prove itself with keys, which are read through the same fetch', async () => {
    verifies('agents.metadata-document')
    const jwks = { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] }
    answer = { status: 200, body: JSON.stringify({ ...document, token_endpoint_auth_method: 'private_key_jwt', jwks }) }
    expect((await authorize()).headers['location']).toMatch(/^\/consent\?/)
    const row = await cp.db.selectFrom('oauthClient').select('jwks').executeTakeFirstOrThrow()
    expect(JSON.parse(row.jwks!)).toEqual(jwks)
  })

  test('gets and renews its tokens with its key alone, as the SDK sends it, also many times at once', async () => {
    verifies('agents.metadata-document', 'agents.refresh')
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'ES256' }] }
    answer = { status: 200, body: JSON.stringify({ ...document, token_endpoint_auth_method: 'private_key_jwt', jwks }) }
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const prove = createPrivateKeyJwtAuth({ issuer: CLIENT, subject: CLIENT, privateKey: String(pem), alg: 'ES256' })
    const proven = async (fields: Record<string, string>) => {
      const form = new URLSearchParams(fields)
      await prove(new Headers(), form, `${cp.origin}/oauth2/token`)
      return agent.form('/oauth2/token', Object.fromEntries(form))
    }

    const back = await consent(ada, agent.authorizationUrl(CLIENT), { vaults })
    const code = back.searchParams.get('code') ?? ''
    const grant = { grant_type: 'authorization_code', code, redirect_uri: LOOPBACK_REDIRECT }
    const { status, body } = await proven({ ...grant, code_verifier: agent.verifier })
    expect([status, body.error]).toEqual([200, undefined])

    const renewal = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
    const renewed = await Promise.all(Array.from({ length: 20 }, () => proven(renewal)))
    expect(new Set(renewed.map((one) => one.status))).toEqual(new Set([200]))
    expect(new Set(renewed.map((one) => one.body.refresh_token)).size).toBe(1)

    const used = new URLSearchParams(renewal)
    await prove(new Headers(), used, `${cp.origin}/oauth2/token`)
    const again = () => agent.form('/oauth2/token', Object.fromEntries(used))
    expect((await again()).status).toBe(200)
    expect((await again()).body.error, 'a proof works once').toBe('invalid_client')

    await sql`update "oauthRefreshToken" set "rotationReplayExpiresAt" = now() - interval '1 minute'`.execute(cp.db)
    expect((await proven(renewal)).body.error).toBe('invalid_grant')
  })

  test.each<[string, object]>([
    ['names another client', { client_id: 'https://agent.example/other.json' }],
    ['has a shared secret', { token_endpoint_auth_method: 'client_secret_post' }],
    ['sends codes to a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['says where its keys are, on this machine', { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://127.0.0.1/keys' }], // prettier-ignore
    ['has no keys for its proofs', { token_endpoint_auth_method: 'private_key_jwt' }],
  ])('is unknown when its document %s', async (_sentence, change) => {
    verifies('agents.metadata-document')
    answer = { status: 200, body: JSON.stringify({ ...document, ...change }) }
    const { headers } = await authorize()
    expect(headers['location']).toContain('/connect?error=invalid_client')
    expect(asked).toHaveLength(1)
  })
})
