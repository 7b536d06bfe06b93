import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { createLog } from '@svc/shared/kit/log.ts'
import { compileOnce, type SlotOf } from '../../control-plane/src/db/compile-once.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

let database: TestDatabase
let connection: ReturnType<typeof openDatabase>
beforeAll(async () => {
  database = await createTestDatabase()
  // A single connection, so that its prepared statements can be listed.
  connection = openDatabase({ url: database.url, log: createLog({ service: 'test', level: 'fatal' }), max: 1 })
})
afterAll(async () => {
  await connection.close()
  await database.drop()
})

const prepared = async () => {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(connection.db)
  return rows.map(({ statement }) => statement)
}
const insertFew = (name: string) =>
  sql`insert into counted (name, at) values (${name}, ${new Date(0)})`.execute(connection.db)
const readAll = () => sql<{ name: string }>`select name from counted where at < ${new Date()}`.execute(connection.db)
const readWhole = () => sql<{ name: string }>`select * from counted`.execute(connection.db)
const times = async (count: number, work: () => Promise<unknown>) => {
  for (let turn = 0; turn < count; turn += 1) await work()
}

test('a statement that comes often is prepared, and means the same; one with a star is not', async () => {
  await sql`create table counted (name text, at timestamptz)`.execute(connection.db)
  await times(30, () => insertFew('kept'))
  await times(30, readAll)
  await times(30, readWhole)
  expect((await readAll()).rows).toHaveLength(30)
  const found = (await prepared()).filter((text) => text.includes('counted'))
  expect(found.map((text) => text.split(' ')[0]).toSorted()).toEqual(['insert', 'select'])
})

test('a migration beside a running process breaks no statement, also within a transaction', async () => {
  await sql`alter table counted add column later text`.execute(connection.db)
  expect((await readWhole()).rows[0]).toHaveProperty('later')
  await connection.db.transaction().execute(async (trx) => {
    await sql`select name from counted where at < ${new Date()}`.execute(trx)
    await sql`insert into counted (name, at) values (${'after'}, ${new Date(0)})`.execute(trx)
  })
  expect((await readAll()).rows).toHaveLength(31)
})

test('a prepared statement that fails leaves its connection usable', async () => {
  await sql`create unique index on counted (name) where name = 'once'`.execute(connection.db)
  await insertFew('once')
  await expect(insertFew('once')).rejects.toThrow('duplicate key')
  await insertFew('kept')
  expect((await readAll()).rows).toHaveLength(33)
})

test('a query that is compiled once is sent with the values of each call, also of calls at once', async () => {
  const find = compileOnce(connection.db, (slot: SlotOf<{ id: string; before: Date }>) =>
    connection.db
      .selectFrom('organization')
      .select(['id', 'name'])
      .where('id', '=', slot('id'))
      .where('createdAt', '<', slot('before'))
      .where('name', '!=', 'nobody'),
  )
  const row = { logo: null, metadata: null, createdAt: new Date(1_000), daemon_mode: 'self_hosted' as const }
  for (const id of ['org_one', 'org_two'])
    await connection.db
      .insertInto('organization')
      .values({ ...row, id, slug: id, name: `name of ${id}` })
      .execute()

  const before = new Date(2_000)
  const found = await Promise.all(['org_one', 'org_two', 'org_three'].map((id) => find({ id, before })))
  expect(found.map(([first]) => first?.name)).toEqual(['name of org_one', 'name of org_two', undefined])
  expect(await find({ id: 'org_one', before: new Date(500) })).toEqual([])
})
