import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { openDatabase, type Db } from '../../control-plane/src/db/database.ts'
import * as awakeChanges from '../../control-plane/src/db/migrations/0028-awake-changes.ts'
import { lifecycleEventsRepository } from '../../control-plane/src/operations/lifecycle-events.repository.ts'
import { verifies } from '../requirements.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

const ORGANIZATIONS = 12
const STATES = ['pending', 'running', 'degraded', 'running', 'running', 'sleeping'] as const

let database: TestDatabase
let app: ReturnType<typeof openDatabase>
let owner: ReturnType<typeof openDatabase>

beforeAll(async () => {
  database = await createTestDatabase()
  const log = createLog({ service: 'test', level: 'warn' })
  app = openDatabase({ url: database.appUrl, log })
  owner = openDatabase({ url: database.url, log })
})
afterAll(async () => {
  await app.close()
  await owner.close()
  await database.drop()
})

async function keptByHour(db: Db): Promise<{ hour: number; turned: number }[]> {
  const { rows } = await sql<{ hour: number; turned: number }>`
    select hour, sum(turned)::int as turned from awake_changes
    group by hour having sum(turned) <> 0 order by hour`.execute(db)
  return rows
}

/** The counts computed from the events themselves, organization by organization. */
async function countedByHour(db: Db): Promise<{ hour: number; turned: number }[]> {
  const events = await db.selectFrom('lifecycle_events').selectAll().orderBy('id').execute()
  const awake = new Map<string, boolean>()
  const turned = new Map<number, number>()
  for (const { org_id, at, observed_state, kind } of events) {
    if (kind !== 'state_observed') continue
    const is = observed_state === 'running'
    const hour = Math.floor(at.getTime() / 3_600_000)
    turned.set(hour, (turned.get(hour) ?? 0) + Number(is) - Number(awake.get(org_id) ?? false))
    awake.set(org_id, is)
  }
  return [...turned]
    .map(([hour, count]) => ({ hour, turned: count }))
    .filter((row) => row.turned !== 0)
    .toSorted((a, b) => a.hour - b.hour)
}

test('changes of running daemons are kept by the hour while several replicas write the same states', async () => {
  verifies('admin.overview-day')
  const orgs = Array.from({ length: ORGANIZATIONS }, () => newId('org_'))
  let now = new Date('2026-06-01T10:20:00Z')
  const events = lifecycleEventsRepository(app.db, { ...systemClock, now: () => now })
  for (const state of STATES) {
    now = new Date(now.getTime() + 40 * 60_000)
    // Two replicas see each change at the same time.
    await Promise.all([...orgs, ...orgs].map((org) => events.insertObserved(org, state, {})))
    await events.insert(orgs[0]!, 'wake_requested')
  }
  // Half of the daemons run at the end.
  await Promise.all(orgs.slice(0, 6).map((org) => events.insertObserved(org, 'running', {})))
  const kept = await keptByHour(app.db)
  expect(kept).toEqual(await countedByHour(app.db))
  expect(kept.reduce((sum, { turned }) => sum + turned, 0)).toBe(6)
  for (const org of orgs) {
    const stored = await app.db
      .selectFrom('lifecycle_events')
      .selectAll()
      .where('org_id', '=', org)
      .orderBy('id')
      .execute()
    const observed = stored.flatMap(({ observed_state }) => observed_state ?? [])
    expect(observed).toEqual(
      ['pending', 'running', 'degraded', 'running', 'sleeping', 'running'].slice(0, observed.length),
    )
    expect(observed.length).toBeGreaterThanOrEqual(5)
  }
})

/** The number of event rows that this connection has read, including reads by triggers. */
async function rowsRead(db: Db): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables
    where relname = 'lifecycle_events'`.execute(db)
  return rows[0]!.read
}

test('an event reads no events of other organizations, also when statistics know of one alone', async () => {
  verifies('admin.overview-day')
  const newcomers = 500
  const fresh = await createTestDatabase()
  const { db, close } = openDatabase({ url: fresh.url, log: createLog({ service: 'test', level: 'warn' }), max: 1 })
  const add = (of: Db, organization: ReturnType<typeof sql>, count: number) =>
    sql`insert into lifecycle_events (org_id, kind, at, observed_state)
      select ${organization}, 'state_observed', now(), case when n % 2 = 0 then 'running' else 'sleeping' end
      from generate_series(1, ${sql.lit(count)}) n`.execute(of)
  try {
    await sql`alter table lifecycle_events set (autovacuum_enabled = false)`.execute(db)
    await add(db, sql`'org_first'`, 2_000)
    await sql`analyze lifecycle_events`.execute(db)
    const read = await db.transaction().execute(async (trx) => {
      const before = await rowsRead(trx)
      await add(trx, sql`'org_' || n`, newcomers)
      await lifecycleEventsRepository(trx, systemClock).insertObserved('org_late', 'running', {})
      return (await rowsRead(trx)) - before
    })
    expect(read).toBeLessThanOrEqual(3 * newcomers)
  } finally {
    await close()
    await fresh.drop()
  }
})

test('the migration counts the events that were there before it', async () => {
  const before = await keptByHour(owner.db)
  expect(before.length).toBeGreaterThan(1)
  await sql`drop table awake_changes`.execute(owner.db)
  await sql`drop function count_awake_change cascade`.execute(owner.db)
  await awakeChanges.up(owner.db as Kysely<unknown>)
  expect(await keptByHour(owner.db)).toEqual(before)
})
