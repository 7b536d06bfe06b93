import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createFollowDaemons } from '../../control-plane/src/organization-lifecycle/follow-daemons.ts'
import { createManagedDaemonTable } from '../../embedded/managed-daemon-table.ts'
import { someSpec } from '../support/managed-daemon-specs.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const log = createLog({ service: 'test', level: 'silent' })
let database: TestDatabase
let connection: ReturnType<typeof openDatabase>

beforeAll(async () => {
  database = await createEmptyDatabase()
  connection = openDatabase({ url: database.url, log })
})
afterAll(async () => {
  await connection.close()
  await database.drop()
})

async function setUp(
  wake: (subject: string) => Promise<void>,
  recordObserved: (orgId: string, state: string) => Promise<void> = async () => {},
) {
  const store = await createManagedDaemonTable({ pool: connection.pool, clock: systemClock, log })
  const spec = someSpec()
  const { orgId } = spec
  const follower = createFollowDaemons({
    store,
    wake: (_kind, subject) => wake(subject),
    recordObserved,
    listActive: async () => [orgId],
    log,
  })
  const accept = async (name: string, generation: number) => {
    const { resourceVersion } = (await store.find(name))!
    await store.patchSpec(name, resourceVersion, {
      relay: { keyGeneration: generation, acceptedGeneration: generation },
    })
  }
  const isUnsettled = async () => (await follower.listUnsettled()).includes(orgId)
  return { store, spec, stopFollowing: follower.start(), accept, isUnsettled }
}

test('a daemon is for the sweep while a key of it waits, or its resource is missing', async () => {
  const { store, spec, stopFollowing, accept, isUnsettled } = await setUp(async () => {})
  await until('no resource yet', isUnsettled)
  const { name } = await store.create(spec)
  await accept(name, 1)
  await until('all is settled', async () => !(await isUnsettled()))

  const { resourceVersion } = (await store.find(name))!
  await store.patchSpec(name, resourceVersion, { relay: { keyGeneration: 2 } })
  await until('the next key waits', isUnsettled)
  await accept(name, 2)
  await until('all is settled again', async () => !(await isUnsettled()))

  await store.remove(name)
  await store.release(name, (await store.find(name))!.resourceVersion)
  await until('the resource is missed', isUnsettled)
  stopFollowing()
})

test('a daemon whose wake failed is for the sweep, whatever became of it', async () => {
  const woken: string[] = []
  const { store, spec, stopFollowing, accept, isUnsettled } = await setUp(async (subject) => {
    woken.push(subject)
    throw new Error('the queue is away')
  })
  const { name } = await store.create(spec)
  await until('the resource is seen', () => woken.length > 0)
  const before = woken.length
  await accept(name, 1)
  await until('the change is seen', () => woken.length > before)
  expect(await isUnsettled()).toBe(true)
  stopFollowing()
})

test('states are recorded in their order, also while the queue is slow', async () => {
  const states: string[] = []
  const slow = Promise.withResolvers<void>()
  // The daemons of the other tests are followed, too.
  let own = ''
  let woken = 0
  const wake = async (orgId: string) => {
    if (orgId === own && (woken += 1) === 2) await slow.promise
  }
  const { store, spec, stopFollowing } = await setUp(wake, async (orgId, state) => {
    if (orgId === own) states.push(state)
  })
  own = spec.orgId
  await until('the resource is missed', () => woken === 1)
  const { name } = await store.create(spec)
  await until('the resource is seen', () => woken === 2)
  const { resourceVersion, status } = (await store.find(name))!
  await store.putStatus(name, resourceVersion, { ...status, observedState: 'running' })
  await until('the change is recorded', () => states.includes('running'))
  slow.resolve()
  await until('both are recorded', () => states.length === 2)
  expect(states).toEqual(['pending', 'running'])
  stopFollowing()
})
