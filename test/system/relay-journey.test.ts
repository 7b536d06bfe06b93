import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../requirements.ts'
import { WebSocket, WebSocketServer } from 'ws'
import { relayedContext } from '../../daemon/src/entry/tunnel-context.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, verifyAssertion, type RelayHarness } from '../support/relay-replica.ts'

type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>>

let harness: RelayHarness
let org: Organization
let daemon: Awaited<ReturnType<typeof startDaemon>>

beforeAll(async () => {
  harness = await startRelay()
  org = await harness.makeOrganization()
  daemon = await startDaemon(harness, org, async (req, res) => {
    const context = relayedContext(req.socket)
    const assertion = req.headers['x-svc-assertion']
    if (context === undefined || typeof assertion !== 'string') return void res.writeHead(401).end()
    const caller = await verifyAssertion(assertion, context)
    if (req.url === '/api/vaults' && caller.kind === 'service') {
      res.writeHead(200, { 'content-type': 'application/json' })
      return void res.end(JSON.stringify({ ok: true, vaults: [{ id: 'demo-vault', displayName: 'Demo' }] }))
    }
    if (caller.kind !== 'person') return void res.writeHead(403).end()
    if (req.method === 'PUT') {
      let bytes = 0
      for await (const chunk of req) bytes += (chunk as Buffer).length
      return void res.end(String(bytes))
    }
    res.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'evil=1' })
    res.end(
      JSON.stringify({ url: req.url, headers: req.headers, person: caller.claims.sub, vaults: caller.claims.vaults }),
    )
  })
  const sockets = new WebSocketServer({ noServer: true })
  daemon.server.on('upgrade', (req, socket, head) =>
    sockets.handleUpgrade(req, socket, head, (ws) => ws.on('message', (data) => ws.send(data))),
  )
  await until(() => daemon.connection.status().controlConnected)
})
afterAll(async () => {
  await daemon.close()
  await harness.close()
})

describe('the relay', () => {
  it('shows the daemon as connected', async () => {
    await until(async () => (await harness.relay.status(org.orgId)).connected)
    expect(await harness.relay.status(org.orgId)).toMatchObject({ tunnels: 1, version: '0.0.0-test' })
    expect(daemon.connection.status()).toEqual({
      configured: true,
      started: true,
      controlConnected: true,
      reconnectScheduled: false,
    })
  })

  it('carries an entered person to the daemon, who is named by one assertion', async () => {
    const person = await harness.makePerson(org.orgId)
    const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
    const answer = await harness.ask({
      host: org.host,
      path: '/api/vaults/demo-vault/notes/README.md',
      headers: { cookie, 'x-svc-assertion': 'forged', 'x-forwarded-for': '1.2.3.4', authorization: 'Bearer x' },
    })
    expect(answer.status).toBe(200)
    const seen = JSON.parse(answer.text) as { person: string; headers: Record<string, string> }
    expect(seen.person).toBe(person.id)
    expect(Object.keys(seen.headers).sort()).toEqual(['host', 'x-svc-assertion'])
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' })
  })

  it('carries a 20 MB upload', async () => {
    const person = await harness.makePerson(org.orgId)
    const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
    const answer = await harness.ask({
      method: 'PUT',
      host: org.host,
      path: '/api/vaults/demo-vault/attachments/film.bin',
      headers: { cookie, origin: org.origin, 'content-type': 'application/octet-stream' },
      body: Buffer.alloc(20_000_000, 1),
    })
    expect(answer.text).toBe('20000000')
  })

  it('carries a WebSocket on the live route', async () => {
    const person = await harness.makePerson(org.orgId)
    const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
    const socket = new WebSocket(`ws://127.0.0.1:${harness.port}/api/vaults/demo-vault/live/README.md`, {
      headers: { host: org.host, cookie, origin: org.origin },
    })
    const echoed = await new Promise<string>((resolve, reject) => {
      socket.on('open', () => socket.send('keystroke'))
      socket.on('message', (data: Buffer) => resolve(data.toString()))
      socket.on('error', reject)
    })
    expect(echoed).toBe('keystroke')
    socket.terminate()
  })

  it('refuses what has not entered, with a failure for programs and a page for people', async () => {
    verifies('security.unknown-host', 'security.origins')
    const program = await harness.ask({ host: org.host, path: '/api/vaults/demo-vault/tree' })
    expect(program.status).toBe(401)
    expect(JSON.parse(program.text)).toMatchObject({ ok: false, error: { code: 'unauthenticated' } })
    const page = await harness.ask({ host: org.host, path: '/', headers: { accept: 'text/html' } })
    expect([page.status, page.text]).toEqual([302, ''])
    expect(new URL(page.headers.location ?? '').origin).toBe(harness.baseUrl)
    const nobody = await harness.ask({ host: `nobody.localhost:${harness.port}` })
    expect(nobody.status).toBe(421)
  })

  it('calls the daemon for the platform, with a service assertion', async () => {
    const answer = await harness.relay.daemonClient(org.orgId).listVaults({ system: 'test' })
    expect(answer.vaults).toEqual([{ id: 'demo-vault', displayName: 'Demo' }])
  })
})
