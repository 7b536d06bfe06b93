import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { createAudit } from '../../control-plane/src/audit/audit.domain.ts'
import { PLATFORM } from '../../control-plane/src/audit/audit.repository.ts'
import { verifyExport } from '../../control-plane/src/audit/export-audit.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { migrations } from '../../control-plane/src/db/migrations.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import type { Person } from '../support/person.ts'
import { freePort } from '../support/free-port.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { programEnvironment } from '../support/program-environment.ts'

const main = fileURLToPath(new URL('../../control-plane/src/main.ts', import.meta.url))
const secrets = ['first', 'second', 'third'].map((name) => `${name}-secret-of-the-tests-long-enough`)
const [first = '', second = '', third = ''] = secrets

const quiet = createLog({ service: 'test', level: 'silent' })

let database: TestDatabase
let port: number
beforeAll(async () => {
  database = await createTestDatabase()
  port = await freePort()
})
afterAll(() => database.drop())

/** One run of the control plane at the same address, on the same database. */
const within = async <T>(environment: Record<string, string>, use: (cp: TestControlPlane) => Promise<T>) => {
  const cp = await startControlPlane({ database, port, environment })
  try {
    return await use(cp)
  } finally {
    await cp.stop()
  }
}
const auditOf = ({ db }: TestControlPlane, secret: string, previous?: string) =>
  createAudit({
    db,
    clock: systemClock,
    log: quiet,
    secret: new Secret(secret),
    previousSecret: previous === undefined ? undefined : new Secret(previous),
  })
const kids = async (cp: TestControlPlane) => (await cp.entry.signingKeys.published()).map(({ kid }) => kid).toSorted()
const sign = async (cp: TestControlPlane) =>
  (await cp.entry.signingKeys.signer('entry')({ sub: 'somebody' })).text.split('.').length
const isSignedIn = async (person: Person) => (await person.get('/api/settings')).status === 200

test('a changed secret signs nobody out, opens the stored keys and verifies the old audit', async () => {
  verifies('security.auth-secret')
  let ada!: Person
  const before = await within({ AUTH_SECRET: first }, async (cp) => {
    ada = cp.person()
    await ada.signUp({ email: 'ada@example.org' })
    await cp.entry.signingKeys.published()
    const audit = auditOf(cp, first)
    await audit.insert(PLATFORM, { event: 'test.happened', actor: { kind: 'system', id: 'test' } })
    await audit.checkpoint()
    return kids(cp)
  })
  const cookie = [...ada.cookies.values()][0]

  await within({ AUTH_SECRET: second, AUTH_SECRET_PREVIOUS: first }, async (cp) => {
    expect(await isSignedIn(ada)).toBe(true)
    expect((await ada.get('/api/auth/get-session')).body.user.email).toBe('ada@example.org')
    expect([await kids(cp), await sign(cp)]).toEqual([before, 3])
    expect((await auditOf(cp, second, first).verify()).broken).toEqual([])
  })
  expect([...ada.cookies.values()][0]).not.toBe(cookie)

  // Without the old secret: cookie and keys depend only on the new one now.
  await within({ AUTH_SECRET: second }, async (cp) => {
    expect(await isSignedIn(ada)).toBe(true)
    expect([await kids(cp), await sign(cp)]).toEqual([before, 3])
    expect((await auditOf(cp, second).verify()).broken).toEqual([])
  })

  // A second change: the second secret vouches for the first key.
  await within({ AUTH_SECRET: third, AUTH_SECRET_PREVIOUS: second }, async (cp) => {
    expect(await isSignedIn(ada)).toBe(true)
    const audit = auditOf(cp, third)
    expect((await audit.verify()).broken).toEqual([])
    await audit.retain(new Date(Date.now() + 1_000))
    await audit.insert(PLATFORM, { event: 'test.happened', actor: { kind: 'system', id: 'test' } })
    expect((await verifyExport(audit.exportChain(PLATFORM), audit.publicKey)).broken).toBeUndefined()
  })
})

test('while the secret changes, replicas that use the old and the new one accept what the other made', async () => {
  verifies('security.auth-secret')
  const fourth = 'd'.repeat(40)
  const old = { AUTH_SECRET: third, AUTH_SECRET_PREVIOUS: fourth }
  const changed = { AUTH_SECRET: fourth, AUTH_SECRET_PREVIOUS: third }
  let ada!: Person
  const before = await within(old, async (cp) => {
    ada = cp.person()
    await ada.signUp({ email: 'bea@example.org' })
    return kids(cp)
  })

  // Replicas during a rotation: one in step 2, then a restarted one still in step 1, then another in step 2.
  for (const secrets of [changed, old, changed])
    await within(secrets, async (cp) => {
      expect(await isSignedIn(ada)).toBe(true)
      expect([await kids(cp), await sign(cp)]).toEqual([before, 3])
      expect((await auditOf(cp, secrets.AUTH_SECRET, secrets.AUTH_SECRET_PREVIOUS).verify()).broken).toEqual([])
    })

  await within({ AUTH_SECRET: fourth }, async (cp) => {
    expect(await isSignedIn(ada)).toBe(true)
    expect((await auditOf(cp, fourth).verify()).broken).toEqual([])
  })
  // Restores what the following tests expect.
  await within(old, sign)
})

test('a secret that changes together with the schema verifies the old audit as well', async () => {
  verifies('security.auth-secret')
  const [before, after] = ['e'.repeat(40), 'f'.repeat(40)]
  const other = await createTestDatabase()
  const { db, pool, close } = openDatabase({ url: other.url, log: quiet, max: 2 })
  try {
    const old = await startControlPlane({ database: other, environment: { AUTH_SECRET: before } })
    await auditOf(old, before).insert(PLATFORM, { event: 'test.happened', actor: { kind: 'system', id: 'test' } })
    await auditOf(old, before).checkpoint()
    await old.stop()

    // The newest migration counts as missing until the replica waits for it.
    const newest = Object.keys(migrations).at(-1)
    const { rows } = await pool.query('delete from kysely_migration where name = $1 returning *', [newest])
    const environment = { AUTH_SECRET: after, AUTH_SECRET_PREVIOUS: before }
    const cp = await startControlPlane({ database: other, environment })
    await db
      .insertInto('kysely_migration' as never)
      .values(rows[0] as never)
      .execute()
    await cp.start()
    await cp.stop()

    const audit = createAudit({ db, clock: systemClock, log: quiet, secret: new Secret(after) })
    expect(await audit.verify()).toMatchObject({ broken: [] })
  } finally {
    await close()
    await other.drop()
  }
})

test('a signature of a secret that nobody vouched for does not verify', async () => {
  await within({ AUTH_SECRET: third }, async (cp) => {
    await auditOf(cp, 'a stranger who may write to the database').checkpoint()
    expect((await auditOf(cp, third).verify()).broken).toMatchObject([{ problem: 'signature_differs' }])
  })
})

test('a start with a secret that does not open the stored keys ends with 78 and names the variable', async () => {
  verifies('security.auth-secret')
  const strange = { AUTH_SECRET: first, AUTH_SECRET_PREVIOUS: second }
  await expect(within(strange, async () => {})).rejects.toThrow(ConfigurationError)
  await within({ AUTH_SECRET: third }, sign)

  const child = spawn(process.execPath, [main], {
    env: programEnvironment({
      BASE_URL: `http://localhost:${port}`,
      DATABASE_URL: database.url.reveal(),
      MANAGED_DAEMON_STORE: 'none',
      ...Object.fromEntries(['PORT', 'GATEWAY_PORT', 'DIAL_IN_PORT', 'INTERNAL_PORT'].map((name) => [name, '0'])),
      ...strange,
    }),
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece) => (said += piece))
  const [code] = (await once(child, 'close')) as [number]
  expect([code, said]).toEqual([78, expect.stringContaining('AUTH_SECRET')])
})
