import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServiceError } from '@svc/shared/wire/errors.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { startDaemon, startReplica, type RelayHarness } from '../support/relay-replica.ts'
import { until } from '../support/until.ts'

let database: TestDatabase
let harness: RelayHarness

beforeAll(async () => {
  database = await createTestDatabase()
  harness = await startReplica(database.url)
})
afterAll(async () => {
  await harness?.close()
  await database?.drop()
})

test('one member whose programs make all the calls that they can leaves room for entries and for other programs', async () => {
  verifies('relay.person-share')
  const made = await harness.makeOrganization()
  const held: ServerResponse[] = []
  // Follows of changes wait for as long as nothing changes; everything else is answered at once.
  const daemon = await startDaemon(harness, made, (req, res) => {
    if (req.url === '/api/agent/changes') return void held.push(res)
    res.setHeader('content-type', 'application/json')
    res.end(req.url === '/api/vaults' ? '{"ok":true,"vaults":[]}' : '{"ok":true,"resources":[]}')
  })
  try {
    await until('the daemon is there', () => harness.relay.tunnelCount() > 0)
    const identityOf = async () => {
      const { id, name, role } = await harness.makePerson(made.orgId)
      const agent = { client: 'Archivist', integration: 'local', registration: 'r', scopes: ['read' as const] }
      return { sub: id, name, role, agent }
    }
    const { agentClient, daemonClient } = harness.relay
    const [busy, calm] = [await identityOf(), await identityOf()]
    const gone = new AbortController()
    const request = { vaultId: 'v', since: '0', waitMs: 3_000 }
    const follow = () => agentClient.readChanges({ orgId: made.orgId, identity: busy, request, signal: gone.signal })
    const follows = Array.from({ length: 300 }, () => follow().catch((error: ServiceError) => error.code))
    await until('the calls wait', () => held.length > 0)

    expect(await agentClient.listResources({ orgId: made.orgId, identity: calm, request: {} })).toMatchObject({
      ok: true,
    })
    for (const { sub } of [calm, busy])
      expect(await daemonClient(made.orgId).listVaults({ user: sub })).toMatchObject({ vaults: [] })
    expect(await daemonClient(made.orgId).listVaults({ system: 'test' })).toMatchObject({ vaults: [] })
    gone.abort()
    expect(new Set(await Promise.all(follows))).toEqual(new Set(['relay_overloaded', 'daemon_timeout']))
  } finally {
    await daemon.close()
  }
})
