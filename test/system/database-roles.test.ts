import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { auditRepository, PLATFORM } from '../../control-plane/src/audit/audit.repository.ts'
import { makeAppRole } from '../../control-plane/src/db/app-role.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { verifies } from '../requirements.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { programEnvironment } from '../support/program-environment.ts'

const main = fileURLToPath(new URL('../../control-plane/src/main.ts', import.meta.url))
const DENIED = '42501'

let database: TestDatabase
let app: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  app = new pg.Client({ connectionString: database.appUrl.reveal() })
  await app.connect()
})
afterAll(async () => {
  await app.end()
  await database.drop()
})

test.each([
  'create table extra (id int)',
  'create schema extra',
  'create function extra() returns int language sql as $$ select 1 $$',
  'alter table organization add column extra text',
  'drop table organization',
  'truncate organization cascade',
  'create role extra',
  'alter role svc_app superuser',
  'drop trigger audit_entries_update on audit_entries',
  'alter table audit_entries disable trigger all',
  "update audit_entries set record = '{}'",
  'delete from audit_entries',
  'truncate audit_entries',
  'delete from audit_checkpoints',
  'update audit_retentions set through_seq = 9',
  'delete from audit_keys',
  'delete from kysely_migration',
  'drop schema bullmq cascade',
])('svc_app may not: %s', async (statement) => {
  verifies('security.database-role')
  await expect(app.query(statement)).rejects.toMatchObject({ code: DENIED })
})

test('svc_app adds to the audit, reads it, and lets an old prefix go by the function alone', async () => {
  verifies('security.database-role')
  const { db, close } = openDatabase({
    url: database.appUrl,
    log: createLog({ service: 'test', level: 'silent' }),
    max: 1,
  })
  const audit = auditRepository(db, systemClock)
  const actor = { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' } as const
  for (const event of ['one', 'two', 'three']) await audit.insert(PLATFORM, { event, actor })
  const rows = await audit.listAfter(PLATFORM, 0, 10)
  expect(rows).toHaveLength(3)

  const { seq, hash } = rows[1]!
  const head = { seq, hash, at: new Date().toISOString(), keyId: 'key', signature: 'signature' }
  expect(await audit.replacePrefix(PLATFORM, head)).toBe(2)
  expect((await audit.listAfter(PLATFORM, 0, 10)).map((row) => row.seq)).toEqual([rows[2]!.seq])
  await close()
})

/** Runs statements on the database of a test as a superuser; returns the rows of the last one. */
async function query(url: Secret, ...statements: string[]): Promise<object[]> {
  const client = new pg.Client({ connectionString: url.reveal() })
  await client.connect()
  try {
    let rows: object[] = []
    for (const statement of statements) ({ rows } = await client.query(statement))
    return rows
  } finally {
    await client.end()
  }
}

/** Gives a database an owner as on a managed Postgres: it may create roles and give them away, but is no superuser. */
async function makeManagedOwner({ url }: TestDatabase) {
  const name = `owner_${randomBytes(8).toString('hex')}`
  const owner = new URL(url.reveal())
  await query(
    url,
    `create role ${name} login createrole nosuperuser`,
    // A role that creates another one gets this by itself.
    `grant svc_app to ${name} with admin true, inherit false, set false`,
    `alter database ${owner.pathname.slice(1)} owner to ${name}`,
  )
  owner.username = name
  return { url: new Secret(owner.href), drop: () => query(database.url, `drop role ${name}`) }
}

test.each([
  ['a superuser', async ({ url }: TestDatabase) => ({ url, drop: async () => {} })],
  ['an owner that may create roles, as on a managed Postgres', makeManagedOwner],
])(
  'roles and migrate make a database that the application can work with, again and again: %s',
  async (_, makeOwner) => {
    verifies('security.database-role')
    const empty = await createEmptyDatabase()
    const owner = await makeOwner(empty)
    const run = async (command: string) => {
      const child = spawn(process.execPath, [main, command], {
        env: programEnvironment({
          BASE_URL: 'http://localhost:7380',
          AUTH_SECRET: 'a-secret-of-the-tests-that-is-long-enough',
          DATABASE_URL: empty.appUrl.reveal(),
          DATABASE_OWNER_URL: owner.url.reveal(),
          DATABASE_APP_PASSWORD: "it's a password",
        }),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
      const [code] = (await once(child, 'close')) as [number]
      expect([code, said]).toEqual([0, expect.not.stringContaining('a password')])
      return said
    }
    expect(await run('roles')).toContain('migrate gives it its rights')
    for (let time = 0; time < 2; time += 1) {
      await run('migrate')
      expect(await run('roles')).toContain('svc_app may connect')
    }
    const client = new pg.Client({ connectionString: empty.appUrl.reveal() })
    await client.connect()
    expect((await client.query('select count(*)::int as count from organization')).rows).toEqual([{ count: 0 }])
    await expect(client.query('create table extra (id int)')).rejects.toMatchObject({ code: DENIED })
    await client.end()
    await empty.drop()
    await owner.drop()
  },
)

test('roles takes from svc_app what it should not have', async () => {
  verifies('security.database-role')
  const attributes = "select rolcreatedb, rolbypassrls, rolsuper from pg_roles where rolname = 'svc_app'"
  await query(database.url, 'alter role svc_app createdb bypassrls')
  const { db, close } = openDatabase({
    url: database.url,
    log: createLog({ service: 'test', level: 'silent' }),
    max: 1,
  })
  expect(await makeAppRole(db, undefined)).toBe('changed')
  await close()
  expect(await query(database.url, attributes)).toEqual([{ rolcreatedb: false, rolbypassrls: false, rolsuper: false }])
})
