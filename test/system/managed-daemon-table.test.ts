import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { ManagedDaemonEvent } from '@svc/shared/wire/managed-daemon-store.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { followTable } from '../../embedded/follow-table.ts'
import { createManagedDaemonTable } from '../../embedded/managed-daemon-table.ts'
import { verifies } from '../requirements.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { someSpec } from '../support/managed-daemon-specs.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.ts'
import { storeConformance } from '../support/store-conformance.ts'
import { until } from '../support/until.ts'

const log = createLog({ service: 'test', level: 'silent' })
let database: TestDatabase
let connection: ReturnType<typeof openDatabase>

const open = () => createManagedDaemonTable({ pool: connection.pool, clock: systemClock, log })

beforeAll(async () => {
  database = await createEmptyDatabase()
  connection = openDatabase({ url: database.url, log })
})
afterAll(async () => {
  await connection.close()
  await database.drop()
})

describe('the table of managed daemons', () => {
  verifies('operator.spec-rules')
  storeConformance(async () => ({ store: await open() }))

  it('is made once, however many processes start at a time', async () => {
    verifies('operator.stores-conform')
    const stores = await Promise.all([open(), open(), open(), open()])
    const { name } = await stores[0]!.create(someSpec())
    for (const store of stores) expect(await store.find(name)).toBeDefined()
  })

  it('lets exactly one of many writers of one version win', async () => {
    const store = await open()
    const { name, resourceVersion } = await store.create(someSpec())
    const writers = ['a1', 'b2', 'c3', 'd4', 'e5'].map((orgSlug) => store.patchSpec(name, resourceVersion, { orgSlug }))
    const outcomes = await Promise.allSettled(writers)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await store.find(name))?.generation).toBe(2)
  })

  it('goes on watching after its connections were cut', async () => {
    const store = await open()
    const events: ManagedDaemonEvent[] = []
    const stop = store.watch((event) => void events.push(event))
    await until('the listing', () => events.some(({ type }) => type === 'synced'))
    await connection.pool
      .query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      .catch(() => {})

    const { uid } = await store.create(someSpec())
    await until('the new resource', () => events.some((event) => 'daemon' in event && event.daemon.uid === uid))
    stop()
  })

  it('keeps no connection whose LISTEN the database refuses', async () => {
    const own = openDatabase({ url: database.url, log, max: 2 })
    let refused = 0
    // In a transaction that has failed, the database refuses every statement, while the connection is well.
    own.pool.on('acquire', (client) => void client.query('begin; select 1 / 0').catch(() => (refused += 1)))
    const stop = followTable({
      pool: own.pool,
      clock: hurriedClock(50),
      log,
      channel: 'some_channel',
      list: async () => [],
      onEvent: () => {},
    })
    await until('it was refused more often than the pool has connections', () => refused > 4)
    stop()
    await own.close()
  })
})
