import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { createLog } from '@svc/shared/kit/log.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

let database: TestDatabase
let connection: ReturnType<typeof openDatabase>
beforeAll(async () => {
  database = await createTestDatabase()
  // One connection: what it has prepared can be looked up on it.
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
