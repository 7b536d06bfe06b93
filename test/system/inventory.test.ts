import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Condition, ManagedDaemonSpec, ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import { EXECUTOR_LOCK } from '../../control-plane/src/db/advisory-locks.ts'
import { followInventory } from '../../control-plane/src/inventory/follow-inventory.ts'
import { seenDaemonsRepository } from '../../control-plane/src/inventory/seen-daemons.repository.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import type { ManagedDaemonEvent, ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { someDaemon, someSpec } from '../support/managed-daemon-specs.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const operatorOrg = newId('org_')
const image = (digit: string) => `local/svcd@sha256:${digit.repeat(64)}`
const log = createLog({ service: 'test', level: 'fatal' })
let cp: TestControlPlane
let admin: Person

beforeAll(async () => {
  cp = await startControlPlane({ working: true, environment: { OPERATOR_ORG: operatorOrg } })
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
})
afterAll(() => cp.stop())

const addOrganization = async (slug: string): Promise<string> => {
  const id = newId('org_')
  await cp.db
    .insertInto('organization')
    .values({
      id,
      slug,
      name: slug.toUpperCase(),
      daemon_mode: 'cloud_hosted',
      createdAt: new Date(),
      logo: null,
      metadata: null,
    })
    .execute()
  return id
}
const addDaemon = async (spec: Partial<ManagedDaemonSpec>, status: Partial<ManagedDaemonStatus>) => {
  const { name, resourceVersion } = await cp.store.create(someSpec(spec))
  await cp.store.putStatus(name, resourceVersion, { observedState: 'running', conditions: [], ...status })
  return name
}
const list = async (query = '') => {
  const { body } = await admin.get(`/api/admin/managed-daemons?${query}`)
  return body.daemons.map(({ orgSlug }: { orgSlug: string }) => orgSlug)
}
const overview = async () => (await admin.get('/api/admin/overview')).body
const condition = (type: Condition['type'], reason: string, lastTransitionTime: string): Condition => ({
  type,
  status: type === 'Degraded' ? 'True' : 'False',
  reason,
  message: `Of ${reason}.`,
  observedGeneration: 1,
  lastTransitionTime,
})

const operation = (operation_id: string, org_id: string, state: 'executing' | 'succeeded' | 'failed') => ({
  operation_id,
  org_id,
  action: 'storage_check' as const,
  actor_kind: 'system' as const,
  actor_id: 'test',
  reason: 'a test',
  input: '{}',
  state,
  epoch: 1,
  answer: state === 'succeeded' ? '{}' : null,
  failure_code: state === 'failed' ? 'operation_failed' : null,
  failure_reason: null,
  requested_at: new Date(),
  updated_at: new Date(),
  finished_at: state === 'executing' ? null : new Date(),
})

describe('a fleet', () => {
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    for (const slug of ['alpha', 'beta', 'gamma', 'delta']) ids[slug] = await addOrganization(slug)
    const gib = 1024 ** 3
    await addDaemon({ orgId: ids.alpha, orgSlug: 'alpha', image: image('2') }, { version: '1.0.0', image: image('2') })
    await addDaemon(
      { orgId: ids.beta, orgSlug: 'beta', desiredState: 'sleeping' },
      { observedState: 'sleeping', storage: { usedBytes: gib / 4, capacityBytes: gib } },
    )
    await addDaemon(
      { orgId: ids.gamma, orgSlug: 'gamma' },
      {
        storage: { usedBytes: gib, capacityBytes: gib },
        conditions: [condition('StorageHealthy', 'NearlyFull', '2026-06-01T12:00:00.000Z')],
      },
    )
    await addDaemon({ orgSlug: 'orphan' }, { observedState: 'starting' })
    await until('all are listed', async () => (await list('observedState=starting')).length === 1)
  })

  test('is paged by slug, with those that have no daemon and those that have no organization', async () => {
    verifies('admin.inventory')
    const slugs: string[] = []
    let cursor: string | undefined
    do {
      const query = new URLSearchParams({ limit: '2', ...(cursor ? { cursor } : {}) })
      const { body } = await admin.get(`/api/admin/managed-daemons?${query}`)
      expect(body.total).toBe(5)
      slugs.push(...body.daemons.map(({ orgSlug }: { orgSlug: string }) => orgSlug))
      cursor = body.nextCursor
    } while (cursor)
    expect(slugs).toEqual(['alpha', 'beta', 'delta', 'gamma', 'orphan'])
    expect((await admin.get('/api/admin/managed-daemons?cursor=nonsense')).status).toBe(400)
    expect((await admin.get('/api/admin/managed-daemons?limit=0')).status).toBe(400)
  })

  test.each<[string, string[]]>([
    ['q=AMM', ['gamma']],
    ['q=%25', []],
    ['q=orph', ['orphan']],
    [`image=${encodeURIComponent(image('2'))}`, ['alpha']],
    ['version=1.0.0', ['alpha']],
    ['observedState=sleeping', ['beta']],
    ['desiredState=sleeping&observedState=running', []],
    ['standing=attention', ['gamma']],
    ['standing=changing', ['orphan']],
    ['entitlement=comped', []],
    ['entitlement=none&standing=running', ['alpha']],
  ])('is filtered by %s', async (query, slugs) => expect(await list(query)).toEqual(slugs))

  test('is filtered by the id of an organization, and shows what its resource says', async () => {
    const { body } = await admin.get(`/api/admin/managed-daemons?orgId=${ids.alpha}`)
    expect(body.daemons).toMatchObject([
      {
        orgName: 'ALPHA',
        entitlement: null,
        claim: null,
        daemon: { desiredState: 'running', observedState: 'running', image: image('2'), version: '1.0.0' },
      },
    ])
  })

  test('is summarized in numbers, with what needs attention', async () => {
    verifies('admin.overview')
    expect(await overview()).toMatchObject({
      total: 5,
      counts: { attention: 1, changing: 1, running: 1, asleep: 1, none: 1 },
      attention: [
        { orgSlug: 'gamma', kind: 'storage_full', reason: 'Of NearlyFull.', since: '2026-06-01T12:00:00.000Z' },
      ],
      storage: { deciles: [0, 0, 1, 0, 0, 0, 0, 0, 0, 1] },
    })
    const { day } = await overview()
    expect(day).toHaveLength(24)
    expect(day.at(-1).awake).toBe(1)
  })

  const standing = async () => {
    const { attention } = await overview()
    return {
      attention: attention.map(({ orgSlug, kind }: { orgSlug: string; kind: string }) => [orgSlug, kind]),
      listed: await list('standing=attention'),
    }
  }
  /** Runs while `delta` has an operation whose claim has expired. */
  const withExpiredClaim = async (run: () => Promise<void>) => {
    const past = new Date(Date.now() - 60_000)
    const claimed = { org_id: ids.delta!, operation_id: 'claimed-operation', action: 'key_rotation' as const }
    await cp.db
      .insertInto('operations')
      .values(operation(claimed.operation_id, ids.delta!, 'executing'))
      .execute()
    await cp.db
      .insertInto('operation_claims')
      .values({ ...claimed, owner: 'o', executor: 'e', epoch: 1, claimed_at: past, expires_at: past })
      .execute()
    try {
      await run()
    } finally {
      await cp.db.deleteFrom('operation_claims').where('org_id', '=', ids.delta!).execute()
      await cp.db.deleteFrom('operations').where('org_id', '=', ids.delta!).execute()
    }
  }

  test('an expired claim and a problem of the control plane need attention too', () =>
    withExpiredClaim(async () => {
      expect(await standing()).toEqual({
        attention: [
          ['gamma', 'storage_full'],
          ['delta', 'claim_expired'],
        ],
        listed: ['delta', 'gamma'],
      })
      const { body } = await admin.get(`/api/admin/managed-daemons?orgId=${ids.delta}`)
      expect(body.daemons[0].claim).toMatchObject({ expired: true, executorAlive: false })
    }))

  test('an operation that outlasts its claim, as a long backup does, is not stuck while its executor lives', () =>
    withExpiredClaim(() =>
      cp.db.transaction().execute(async (executor) => {
        await sql`select pg_advisory_xact_lock(${EXECUTOR_LOCK}, hashtext('e'))`.execute(executor)
        expect(await standing()).toEqual({ attention: [['gamma', 'storage_full']], listed: ['gamma'] })
        expect((await overview()).counts).toMatchObject({ attention: 1, none: 1 })
        const { body } = await admin.get(`/api/admin/managed-daemons?orgId=${ids.delta}`)
        expect(body.daemons[0].claim).toMatchObject({ expired: true, executorAlive: true })
      }),
    ))

  test('operations of the day are counted by their end, and the last ones named', async () => {
    await cp.db
      .insertInto('operations')
      .values([operation('of-the-day-1', ids.alpha!, 'succeeded'), operation('of-the-day-2', ids.alpha!, 'failed')])
      .execute()
    const { day, operations } = await overview()
    // The hour may end between writing and reading.
    const sum = (name: string) =>
      day.slice(-2).reduce((total: number, hour: Record<string, number>) => total + hour[name]!, 0)
    expect([sum('succeeded'), sum('failed')]).toEqual([1, 1])
    expect(operations).toMatchObject([
      { operationId: 'of-the-day-2', orgName: 'ALPHA', state: 'failed' },
      { operationId: 'of-the-day-1', orgName: 'ALPHA', state: 'succeeded' },
    ])
  })

  test('a resource that goes is listed no longer', async () => {
    const name = await addDaemon({ orgSlug: 'short-lived' }, {})
    await until('it is listed', async () => (await list('q=short-lived')).length === 1)
    await cp.store.remove(name)
    await cp.store.release(name, (await cp.store.find(name))!.resourceVersion)
    await until('it is gone', async () => (await list('q=short-lived')).length === 0)
  })
})

describe('the copy of the resources', () => {
  const seen = () => seenDaemonsRepository(cp.db)
  const rowOf = (orgId: string) =>
    cp.db.selectFrom('inventory_daemons').selectAll().where('org_id', '=', orgId).executeTakeFirst()
  const version = (orgId: string, resourceVersion: string, observedState: ManagedDaemonStatus['observedState']) =>
    someDaemon({ orgId, orgSlug: 'copied' }, { resourceVersion, status: { observedState, conditions: [] } })

  test('keeps the newest version that any of several processes saw', async () => {
    const orgId = newId('org_')
    await seen().upsert([version(orgId, '10', 'running')])
    await seen().upsert([version(orgId, '9', 'starting')])
    expect((await rowOf(orgId))?.observed_state).toBe('running')
    await seen().upsert([version(orgId, '11', 'stopping')])
    expect((await rowOf(orgId))?.observed_state).toBe('stopping')
  })

  test('takes a resource of another uid whatever its version: in a new cluster versions begin anew', async () => {
    const orgId = newId('org_')
    await seen().upsert([version(orgId, '1000', 'running')])
    await seen().upsert([{ ...version(orgId, '3', 'starting'), uid: 'uid-2' }])
    expect(await rowOf(orgId)).toMatchObject({ uid: 'uid-2', observed_state: 'starting' })
    // The deletion of the first resource must not remove the row of the second.
    await seen().delete({ name: version(orgId, '1', 'running').name, uid: 'uid-1' })
    expect(await rowOf(orgId)).toBeDefined()
  })

  test('shows what a restored cluster has, though versions fall, and nothing older than another process saw', async () => {
    verifies('operator.restored-cluster')
    const [fallen, raced] = [newId('org_'), newId('org_')]
    await seen().upsert([version(fallen, '1000', 'running'), version(raced, '1000', 'running')])
    const listing = Promise.withResolvers<void>()
    let tell: (event: ManagedDaemonEvent) => void = () => {}
    const watch: ManagedDaemonStore['watch'] = (onEvent) => {
      tell = onEvent
      listing.resolve()
      return () => {}
    }
    const stop = followInventory({ store: { watch }, seen: seen(), clock: { sleep: async () => {} }, log })
    await listing.promise
    // Another process sees a change that the listing of this one does not show yet.
    await seen().upsert([version(raced, '1002', 'stopping')])
    tell({ type: 'upserted', daemon: version(fallen, '900', 'sleeping') })
    tell({ type: 'upserted', daemon: version(raced, '1001', 'running') })
    tell({ type: 'synced' })
    await until('the listing is written', async () => (await rowOf(fallen))?.observed_state === 'sleeping')
    expect(await rowOf(raced)).toMatchObject({ observed_state: 'stopping' })

    // A watch that finds it later tells of an object that goes, and of another of the same uid.
    const { name, uid } = version(fallen, '900', 'sleeping')
    tell({ type: 'removed', name, uid })
    tell({ type: 'upserted', daemon: version(fallen, '800', 'starting') })
    await until('the older one is written', async () => (await rowOf(fallen))?.observed_state === 'starting')
    await stop()
  })

  test('resources deleted while nobody watched are gone after the next listing, and a failing database is retried', async () => {
    const stale = newId('org_')
    await seen().upsert([version(stale, '1', 'running')])
    let failures = 2
    const failing = {
      ...seen(),
      upsert: async (daemons: Parameters<ReturnType<typeof seen>['upsert']>[0]) => {
        failures -= 1
        if (failures >= 0) throw new Error('the database is away')
        return seen().upsert(daemons)
      },
    }
    const clock = { sleep: async () => {} }
    const stop = followInventory({ store: cp.store, seen: failing, clock, log })
    await until('the stale one is gone', async () => (await rowOf(stale)) === undefined)
    expect(failures).toBeLessThan(0)
    await stop()
  })
})
