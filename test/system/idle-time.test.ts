import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { idleTimeRepository } from '../../control-plane/src/managed-daemons/idle-time.repository.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

let database: TestDatabase
let app: ReturnType<typeof openDatabase>

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, log: createLog({ service: 'test', level: 'warn' }) })
})
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

const HOUR_MS = 3_600_000

test('a daemon that is woken while it is put to sleep is checked soon, not after the time of a sleeping one', async () => {
  verifies('sleep.idle')
  let now = new Date(Date.now() + HOUR_MS)
  const idleTime = idleTimeRepository(app.db, { ...systemClock, now: () => now })
  const orgId = newId('org_')
  await app.db
    .insertInto('managed_daemons')
    .values({
      organization_id: orgId,
      name: orgId,
      state: 'active',
      resource_uid: null,
      image: 'image',
      operation_id: 'operation',
      operation_action: 'comped_grant',
      operation_epoch: 1,
      leased_at: now,
      activated_at: now,
      last_problem: null,
    })
    .execute()

  const [claimed] = await idleTime.claimDue(1, 120_000)
  expect(claimed).toMatchObject({ orgId, idleSeconds: null })
  await idleTime.updateLookAt(orgId, 5000)
  await idleTime.updateClaimed(claimed!, HOUR_MS)
  now = new Date(now.getTime() + 6000)
  const [woken] = await idleTime.claimDue(1, 120_000)
  expect(woken?.orgId).toBe(orgId)

  await idleTime.updateClaimed(woken!, HOUR_MS)
  now = new Date(now.getTime() + HOUR_MS - 1000)
  expect(await idleTime.claimDue(1, 120_000)).toEqual([])
  now = new Date(now.getTime() + 2000)
  expect(await idleTime.claimDue(1, 120_000)).toHaveLength(1)
})
