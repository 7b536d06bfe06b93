import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { databaseFailure } from '../../control-plane/src/db/database-failure.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { migrate } from '../../control-plane/src/db/migrator.ts'
import { mintEntryAssertion } from '../../control-plane/src/entry/mint-assertion.ts'
import { toFailure } from '../../control-plane/src/http/failures.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { PASSWORD } from '../support/person.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'

const log = createLog({ service: 'test', level: 'fatal' })

let folder: string
let server: Awaited<ReturnType<typeof startPostgres>>
let cp: TestControlPlane
let stoppedAtMs: number | undefined
/** A clock that the test can stop, so that what was cached stays fresh. */
const clock = { ...systemClock, monotonic: () => stoppedAtMs ?? systemClock.monotonic() }

const start = async () => {
  server = await startPostgres({ folder, log, clock: systemClock })
  return server.database('away')
}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-away-'))
  await chmod(folder, 0o711)
  const url = await start()
  const { db, close } = openDatabase({ url, log, max: 1 })
  await migrate(db)
  await close()
  const database = { url, appUrl: url, drop: async () => {} }
  cp = await startControlPlane({ database, clock, environment: { MCP_ENABLED: '1' } })
})
afterAll(async () => {
  await cp.stop()
  await server.stop()
  await removeFolder(folder)
})

const away = expect.objectContaining({
  status: 503,
  body: expect.objectContaining({ ok: false, error: expect.objectContaining({ code: 'database_unavailable' }) }),
})

test('while the database is away, every request is refused for a while, and the next one after it is served', async () => {
  const ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  expect((await ada.get('/api/settings')).status).toBe(200)

  await server.stop()
  expect(await ada.get('/api/settings')).toEqual(away)
  expect(await ada.patch('/api/settings/profile', { name: 'Ada L.' })).toEqual(away)
  const signIn = { email: 'ada@example.org', password: PASSWORD }
  expect(await cp.person().post('/api/auth/sign-in/email', signIn), 'a sign-in').toEqual(away)
  const bearer = { authorization: `Bearer svc_mcp_${'a'.repeat(43)}`, 'content-type': 'application/json' }
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  expect(await cp.raw('POST', `/mcp`, { headers: bearer, body: ping }), 'an agent').toEqual(away)
  expect(cp.logged(), 'nothing of it is a bug').not.toContain('failed unexpectedly')

  await start()
  await until('the database is back', async () => (await ada.get('/api/settings')).status === 200)
  expect((await ada.get('/api/settings')).body.profile.name, 'what was refused changed nothing').not.toBe('Ada L.')
  expect((await cp.person().post('/api/auth/sign-in/email', signIn)).status).toBe(200)
})

test('an entry while the database is away is refused for a while, and does not count as a wrong one', async () => {
  const eve = cp.person()
  await eve.signUp({ email: 'eve@example.org' })
  const { id: orgId } = (await eve.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
  await eve.post(`/api/orgs/${orgId}/vaults/relay`, { name: 'Notes' })
  const daemon = cp.db.selectFrom('daemons').select('id').where('org_id', '=', orgId)
  const session = cp.db.selectFrom('session').select('id').where('userId', '=', eve.id)
  const grant = {
    vaultOrigin: await cp.entry.origins.originOf(orgId),
    user: { id: eve.id, name: 'Eve' },
    sessionId: (await session.executeTakeFirstOrThrow()).id,
    orgId,
    daemonId: (await daemon.executeTakeFirstOrThrow()).id,
    vault: 'v',
    role: 'admin',
  } as const
  const mint = async () => (await mintEntryAssertion(cp.entry.signingKeys.signer('entry'), grant)).text
  const enter = (assertion: string) =>
    cp.raw('POST', '/_svc/enter', {
      headers: {
        host: new URL(grant.vaultOrigin).host,
        origin: cp.origin,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ assertion }).toString(),
    })
  stoppedAtMs = systemClock.monotonic()
  expect((await enter('wrong')).status, 'the origin is cached now').toBe(401)
  const text = await mint()

  await server.stop()
  for (let times = 0; times < 31; times += 1) expect(await enter(text)).toEqual(away)
  await start()
  stoppedAtMs = undefined
  await until('the database is back', async () => (await eve.get('/api/settings')).status === 200)
  expect((await enter('wrong')).status).toBe(401)
  expect((await enter(await mint())).status).toBe(303)
})

test('another server that is away is not taken for the database', async () => {
  const away = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6443'), { code: 'ECONNREFUSED' })
  expect(databaseFailure(away)).toBeUndefined()
  expect(toFailure(away).code).toBe('internal')
})
