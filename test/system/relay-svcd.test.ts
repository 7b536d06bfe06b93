import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../requirements.ts'
import { PersonHere } from '@svc/shared/wire/person.api.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { startRelay } from '../support/relay.ts'
import { until, type RelayHarness } from '../support/relay-replica.ts'
import { removeFolder } from '../support/remove-folder.ts'

type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>>

const main = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
let harness: RelayHarness
let org: Organization
let home: string
let child: ChildProcess
let output = ''

beforeAll(async () => {
  harness = await startRelay()
  org = await harness.makeOrganization()
  home = await mkdtemp(join(tmpdir(), 'svcd-home-'))
  child = spawn(process.execPath, [main], {
    env: programEnvironment({
      SVC_HOME: home,
      SVC_PORT: '0',
      SVC_RELAY_URL: `http://127.0.0.1:${harness.port}/t/${org.orgId}`,
      SVC_RELAY_TOKEN: org.apiKey,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  await until(async () => (await harness.relay.status(org.orgId)).connected)
})
afterAll(async () => {
  if (child.exitCode === null) {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  await harness.close()
  await removeFolder(home)
})

describe('a real daemon behind the relay', () => {
  it('lists its vaults to the platform', async () => {
    verifies('service.self-hosted-outbound', 'daemon-key.scope')
    const { vaults } = await harness.relay.daemonClient(org.orgId).listVaults({ system: 'test' })
    expect(vaults).toEqual([expect.objectContaining({ id: 'demo-vault' })])
  })

  it('lets an entered person read and write a note, and nobody else', async () => {
    verifies('relay.no-bypass', 'security.default-deny')
    const person = await harness.makePerson(org.orgId)
    const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
    const at = { host: org.host, path: '/api/vaults/demo-vault/notes/README.md' }
    const read = await harness.ask({ ...at, headers: { cookie } })
    expect(read.status).toBe(200)
    const { note } = JSON.parse(read.text) as { note: { baseline: string } }

    const written = await harness.ask({
      ...at,
      method: 'PUT',
      headers: { cookie, origin: org.origin, 'content-type': 'application/json', 'if-match': `"${note.baseline}"` },
      body: JSON.stringify({ content: '# Through the relay\n' }),
    })
    expect(written.status).toBe(200)
    expect(await readFile(join(home, 'vaults/demo-vault/README.md'), 'utf8')).toBe('# Through the relay\n')

    expect((await harness.ask(at)).status).toBe(401)
    const foreign = await harness.ask({ ...at, method: 'PUT', headers: { cookie, origin: harness.baseUrl } })
    expect(foreign.status).toBe(403)
  })

  it('serves the UI page and the tree', async () => {
    const person = await harness.makePerson(org.orgId)
    const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
    const paths = ['tree', 'links/README.md', 'report', 'tags', 'graph?path=README.md'].map(
      (route) => `/api/vaults/demo-vault/${route}`,
    )
    for (const path of paths) {
      expect([path, (await harness.ask({ host: org.host, path, headers: { cookie } })).status]).toEqual([path, 200])
      expect([path, (await harness.ask({ host: org.host, path })).status]).toEqual([path, 401])
    }
  })

  it('leaves the person route to the gateway, which tells of this organization alone', async () => {
    verifies('gateway.person', 'web.one-theme')
    const person = await harness.makePerson(org.orgId, 'member')
    const admin = await harness.makePerson(org.orgId, 'admin')
    const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
    const adminCookie = await harness.enter({ orgId: org.orgId, person: admin, vault: 'another' })
    const at = { host: org.host, path: '/_svc/person' }
    const read = async (visit: string) => {
      const { status, text, headers } = await harness.ask({ ...at, headers: { cookie: visit } })
      expect([status, headers['cache-control']]).toEqual([200, 'private, no-store'])
      return PersonHere.parse(JSON.parse(text))
    }
    expect(await read(cookie)).toEqual({
      ok: true,
      person: { id: person.id, name: person.name },
      organization: { id: org.orgId, name: 'Test' },
      vaults: [{ id: 'demo-vault', displayName: 'Demo vault', entered: true }],
      capabilities: [],
      theme: 'system',
      app: {
        home: `${harness.baseUrl}/`,
        account: `${harness.baseUrl}/profile`,
        enter: `${harness.baseUrl}/enter?organization=${org.orgId}`,
        leave: '/_svc/leave',
        offline: '/_svc/offline-worker.js',
      },
    })
    const seen = await read(adminCookie)
    expect(seen.vaults).toEqual([{ id: 'demo-vault', displayName: 'Demo vault', entered: false }])
    expect(seen.capabilities).toEqual(['delete_permanently', 'restore_of_others'])

    const choose = (body: string, headers: Record<string, string>) =>
      harness.ask({ ...at, method: 'PATCH', body, headers: { 'content-type': 'application/json', ...headers } })
    const own = { cookie, origin: org.origin }
    expect((await choose('{"theme":"dark"}', own)).status).toBe(200)
    expect((await read(cookie)).theme).toBe('dark')
    expect((await read(adminCookie)).theme).toBe('system')
    expect((await choose('{"theme":"dark"}', { ...own, origin: harness.baseUrl })).status).toBe(403)
    expect((await choose('{"theme":"dark"}', { origin: org.origin })).status).toBe(401)
    expect((await choose('{"theme":"neon"}', own)).status).toBe(400)
    expect((await choose('{"theme":"light"', own)).status).toBe(400)
    expect((await choose(`{"theme":"${'x'.repeat(2_000)}"}`, own)).status).toBe(413)
    expect((await choose('theme=dark', { ...own, 'content-type': 'text/plain' })).status).toBe(415)
    expect((await harness.ask(at)).status).toBe(401)
    expect((await harness.ask({ ...at, method: 'POST', headers: own })).status).toBe(405)
  })

  it('flushes for a member, and shows its audit to admins alone', async () => {
    verifies('relay.narrow-routes', 'flush.result')
    const [member, admin] = [
      await harness.makePerson(org.orgId, 'member'),
      await harness.makePerson(org.orgId, 'admin'),
    ]
    const [asMember, asAdmin] = [
      await harness.enter({ orgId: org.orgId, person: member, vault: 'demo-vault' }),
      await harness.enter({ orgId: org.orgId, person: admin, vault: 'demo-vault' }),
    ]
    const flushed = await harness.ask({
      method: 'POST',
      host: org.host,
      path: '/api/vaults/demo-vault/ops/flush',
      headers: { cookie: asMember, origin: org.origin, 'content-type': 'application/json' },
      body: '{}',
    })
    expect([flushed.status, JSON.parse(flushed.text)]).toEqual([
      200,
      { ok: true, flushed: 0, durableAsOf: expect.stringMatching(/^\d{4}-.*Z$/) },
    ])

    const audit = { host: org.host, path: '/api/vaults/demo-vault/audit' }
    expect((await harness.ask({ ...audit, headers: { cookie: asMember } })).status).toBe(403)
    const read = await harness.ask({ ...audit, headers: { cookie: asAdmin } })
    expect([read.status, JSON.parse(read.text)]).toEqual([200, { ok: true, entries: expect.any(Array) }])
  })

  it('keeps its own routes to itself', async () => {
    verifies('relay.narrow-routes')
    const person = await harness.makePerson(org.orgId, 'admin')
    const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
    for (const path of [
      '/mcp',
      '/metrics',
      '/api/relay/status',
      '/api/vaults',
      '/api/ops/storage',
      '/api/vaults/demo-vault/ops/storage',
      '/api/openapi.json',
    ])
      expect([path, (await harness.ask({ host: org.host, path, headers: { cookie } })).status]).toEqual([path, 404])
  })

  it('never logs its key', () => {
    verifies('security.key-dial')
    expect(output).not.toContain(org.apiKey)
    expect(harness.logged()).not.toContain(org.apiKey)
  })
})
