import { createLog } from '@svc/shared/kit/log.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createUnlessBusy } from '../../control-plane/src/operations/unless-busy.repository.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

const CONNECTIONS = 5

let database: TestDatabase
let opened: ReturnType<typeof openDatabase>
beforeAll(async () => {
  database = await createTestDatabase()
  const log = createLog({ service: 'test', level: 'silent' })
  opened = openDatabase({ url: database.url, log, max: CONNECTIONS })
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

test('more idle organizations than there are connections do not wait for each other', async () => {
  const { db } = opened
  const unlessBusy = createUnlessBusy(db)
  let acted = 0
  const act = async () => {
    await db.selectFrom('operations').select('operation_id').limit(1).execute()
    acted += 1
  }
  const orgIds = Array.from({ length: 4 * CONNECTIONS }, () => newId('org_'))
  // A connection that is not free within ten seconds is an error.
  expect(await Promise.all(orgIds.map((orgId) => unlessBusy(orgId, act)))).toEqual(orgIds.map(() => true))
  expect(acted).toBe(orgIds.length)
})
