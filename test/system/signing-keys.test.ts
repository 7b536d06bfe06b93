import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { createAuditTrail } from '../../control-plane/src/audit/audit-trail.ts'
import { createRotateSigningKeys } from '../../control-plane/src/entry/rotate-signing-keys.ts'
import { createVerifyAssertion } from '../../daemon/src/entry/verify-assertion.ts'
import { relayedContext } from '../../daemon/src/entry/tunnel-context.ts'
import { dialRelay } from '../../daemon/src/relay/dial-relay.ts'
import { loadRelayIdentity } from '../../daemon/src/relay/relay-identity.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import type { Person } from '../support/person.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const log = createLog({ service: 'test', level: 'silent' })
const operatorOrg = newId('org_')
let aheadMs = 0
/** A clock that the test moves forward. */
const clock = {
  ...systemClock,
  now: () => new Date(systemClock.now().getTime() + aheadMs),
  monotonic: () => systemClock.monotonic() + aheadMs,
}

let database: TestDatabase
let cp: TestControlPlane
let root: Person

const startReplica = (origin?: string) =>
  startControlPlane({
    database,
    clock,
    environment: { OPERATOR_ORG: operatorOrg, ...(origin === undefined ? {} : { BASE_URL: origin }) },
  })
const kidOf = async ({ entry }: TestControlPlane) =>
  decodeProtectedHeader((await entry.signingKeys.signer('service')({ sub: 'x' })).text).kid
const publishedBy = async ({ entry }: TestControlPlane) =>
  (await entry.signingKeys.published()).filter(({ uses }) => uses.includes('service')).map(({ kid }) => kid)
const list = async () =>
  ((await root.get('/api/admin/signing-keys')).body.keys as { kid: string; use: string; state: string }[])
    .filter(({ use }) => use === 'service')
    .map(({ kid, state }) => [kid, state])
/** The sign-in library uses the machine's clock; this moves the session to the time of the test. */
const freshen = () =>
  cp.db
    .updateTable('session')
    .set({ createdAt: clock.now(), expiresAt: new Date(clock.now().getTime() + DAY_MS) })
    .where('userId', '=', root.id)
    .execute()
const rotate = async (body: object) => {
  await freshen()
  const answer = await root.post('/api/admin/signing-keys/rotate', body)
  expect([answer.status, answer.text]).toEqual([200, '{"ok":true}'])
}
const eventsOf = async () =>
  (await root.get('/api/admin/audit?chain=platform&limit=100')).body.entries
    .map(({ record }: { record: { event: string; reason?: string } }) => record)
    .filter(({ event }: { event: string }) => event.startsWith('signing_keys.'))

beforeAll(async () => {
  database = await createTestDatabase()
  cp = await startReplica()
  root = cp.person()
  await root.signUp({ email: 'root@example.org' })
  await makeFirstAdmin(cp, operatorOrg, root, clock)
})
afterAll(async () => {
  await cp.stop()
  await database.drop()
})

test('a rotation by hand publishes the next key first, and the last one verifies afterwards', async () => {
  verifies('signing-keys.rotation')
  const old = await kidOf(cp)
  expect(await list()).toEqual([[old, 'signing']])
  await rotate({ reason: 'a drill' })

  const [, next] = await publishedBy(cp)
  expect(await list()).toEqual([
    [old, 'signing'],
    [next, 'next'],
  ])
  expect(await kidOf(cp)).toBe(old)
  aheadMs += 6 * MINUTE_MS
  expect(await kidOf(cp)).toBe(next)
  expect(await publishedBy(cp)).toEqual([old, next])
  expect(await list()).toEqual([
    [old, 'verifies'],
    [next, 'signing'],
  ])
  aheadMs += 10 * MINUTE_MS
  expect(await publishedBy(cp)).toEqual([next])
  expect(await eventsOf()).toMatchObject([{ event: 'signing_keys.rotated', reason: 'a drill', actor: { id: root.id } }])
})

test('old keys are rotated once, whichever replica looks first', async () => {
  verifies('signing-keys.rotation')
  const recordAudit = createAuditTrail({ db: cp.db, clock, log, secret: new Secret('x'.repeat(40)) }).insertIn
  const { rotateOlderThan } = createRotateSigningKeys({
    db: cp.db,
    clock,
    signingKeys: cp.entry.signingKeys,
    recordAudit,
  })
  expect(await rotateOlderThan(90)).toEqual([])
  aheadMs += 91 * DAY_MS
  const replaced = await Promise.all([rotateOlderThan(90), rotateOlderThan(90), rotateOlderThan(90)])
  expect(replaced.flat().toSorted()).toEqual(['entry', 'request', 'service'])
  aheadMs += 20 * MINUTE_MS
  expect(await publishedBy(cp)).toHaveLength(1)
})

test('an immediate rotation withdraws the old keys, on other replicas too', async () => {
  verifies('signing-keys.withdrawal')
  const other = await startReplica(cp.origin)
  try {
    const leaked = await kidOf(other)
    expect(await kidOf(cp)).toBe(leaked)
    await rotate({ reason: 'leaked', immediate: true })
    expect(await publishedBy(cp)).not.toContain(leaked)
    await other.entry.revocations.poll()
    expect(await kidOf(other)).toBe(await kidOf(cp))
    expect(await kidOf(other)).not.toBe(leaked)
    expect(await eventsOf()).toMatchObject([{ event: 'signing_keys.replaced', reason: 'leaked' }, {}, {}])
  } finally {
    await other.stop()
  }
})

test('a daemon that was offline through a rotation connects again and believes the new key', async () => {
  verifies('signing-keys.rotation')
  await freshen()
  const { body: made } = await root.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })
  const { body: key } = await root.post(`/api/orgs/${made.organization.id}/vaults/relay`, { name: 'Notes' })
  const home = await mkdtemp(join(tmpdir(), 'svc-signing-'))
  const identity = await loadRelayIdentity(join(home, 'relay-identity.pem'))
  const verify = createVerifyAssertion({ clock })
  const daemon = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const context = relayedContext(request.socket)
    const assertion = String(request.headers['x-svc-assertion'])
    const caller = context && (await verify(assertion, context).catch(() => undefined))
    response.writeHead(caller === undefined ? 401 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ok: true, vaults: [{ id: 'demo-vault', displayName: 'Demo' }] }))
  })
  const dialIn = createServer().listen(0, '127.0.0.1')
  dialIn.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    cp.tunnels.dialIn.upgrade?.(request, socket, head),
  )
  await once(dialIn, 'listening')
  const connect = () =>
    dialRelay({
      url: `http://127.0.0.1:${(dialIn.address() as AddressInfo).port}/t/${made.organization.id}`,
      key: { kind: 'text', token: new Secret(key.apiKey) },
      identity,
      version: '0.0.0-test',
      serve: (stream) => void daemon.emit('connection', stream),
      clock: systemClock,
      log,
    })
  const listsVaults = async () => {
    await until('the daemon is connected', async () => (await cp.tunnels.status(made.organization.id)).connected)
    const found = await cp.tunnels.daemonClient(made.organization.id).listVaults({ user: root.id })
    expect(found.vaults).toHaveLength(1)
  }
  try {
    const before = connect()
    await listsVaults()
    await before.stop()
    await rotate({ reason: 'while it is offline' })
    aheadMs += 30 * MINUTE_MS
    const after = connect()
    await listsVaults()
    await after.stop()
  } finally {
    dialIn.close()
    dialIn.closeAllConnections()
    daemon.close()
    await removeFolder(home)
  }
})
