import { sql } from 'kysely'
import { createLog } from '@svc/shared/kit/log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseFailure } from '../../control-plane/src/db/database-failure.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

let database: TestDatabase
let opened: ReturnType<typeof openDatabase>
beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase({ url: database.url, log: createLog({ service: 'test', level: 'silent' }) })
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

const failed = (work: Promise<unknown>) => work.then(() => undefined, databaseFailure)

test('a row that was deleted meanwhile is not found', async () => {
  const { db } = opened
  const at = new Date()
  const times = { createdAt: at, updatedAt: at, expiresAt: at }
  const session = db.insertInto('session').values({ id: 'ses_1', userId: 'usr_gone', token: 'a token', ...times })
  expect(await failed(session.execute())).toMatchObject({ code: 'not_found' })
})

test('of two changes that wait for each other, one is made and the other is to be tried again', async () => {
  const { db } = opened
  const [first, second] = [1, 2].map(
    (key) => (trx: typeof db) => sql`select pg_advisory_xact_lock(${key})`.execute(trx),
  )
  let held = 0
  let bothHold = () => {}
  const both = new Promise<void>((resolve) => (bothHold = resolve))
  const change = (locks: (typeof first)[]) =>
    db.transaction().execute(async (trx) => {
      await locks[0]!(trx)
      if ((held += 1) === 2) bothHold()
      await both
      await locks[1]!(trx)
    })
  const failures = await Promise.all([failed(change([first, second])), failed(change([second, first]))])
  expect(failures.filter((failure) => failure !== undefined)).toMatchObject([
    { code: 'database_unavailable', message: 'Another change was made at the same time. Retry.' },
  ])
})

test('a request that runs on while the process stops is to be sent again', async () => {
  const { db, close } = openDatabase({ url: database.url, log: createLog({ service: 'test', level: 'silent' }) })
  await sql`select 1`.execute(db)
  await close()
  expect(await failed(sql`select 1`.execute(db))).toMatchObject({
    code: 'database_unavailable',
    message: 'This replica is stopping. Retry.',
  })
})

test('what is neither is a bug', async () => {
  expect(await failed(sql`select 1 / 0`.execute(opened.db))).toBeUndefined()
  expect(databaseFailure(Object.assign(new Error('of another server'), { code: '23503' }))).toBeUndefined()
})
