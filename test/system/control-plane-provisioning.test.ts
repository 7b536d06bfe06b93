import { afterEach, describe, expect, test } from 'vitest'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { updateSchema } from '../../control-plane/src/update-schema.ts'
import { verifies } from '../requirements.ts'
import { changeSpec } from '../support/change-spec.ts'
import { startControlPlane, type Options, type TestControlPlane } from '../support/control-plane.ts'
import { deleteOrganization } from '../support/delete-organization.ts'
import { listedVaults } from '../support/listed-vaults.ts'
import { createTestDatabase } from '../support/postgres.ts'
import type { Person } from '../support/person.ts'
import { keyHash, startSmallOperator } from '../support/small-operator.ts'
import { until } from '../support/until.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const start = async (options: Options = {}): Promise<TestControlPlane> => {
  const cp = await startControlPlane({ working: true, ...options })
  cleanups.push(cp.stop)
  return cp
}
const operate = (cp: TestControlPlane) => {
  const stop = startSmallOperator(cp.store)
  cleanups.push(stop)
  return stop
}
let count = 0
const signUp = async (cp: TestControlPlane): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `hosted${(count += 1)}@example.org` })
  return person
}
const create = async (person: Person, body: object = { name: `Hosted ${(count += 1)}` }) =>
  person.post('/api/provisioning/orgs/cloud-hosted/comped', body)
const statusOf = async (person: Person, slug: string) =>
  (await person.get(`/api/orgs/${slug}/hosted/status`)).body.status
const running = (person: Person, slug: string) =>
  until(`${slug} runs`, async () => (await statusOf(person, slug))?.observedState === 'running')
const rowOf = (cp: TestControlPlane, orgId: string) =>
  cp.db.selectFrom('managed_daemons').selectAll().where('organization_id', '=', orgId).executeTakeFirst()

describe('a hosted organization', () => {
  test('gets its daemon: resource, believed key, running, active', async () => {
    verifies('cp.provision-hosted', 'cp.hosted-status', 'service.mode-fixed')
    const cp = await start()
    operate(cp)
    const ada = await signUp(cp)
    const created = await create(ada, { name: 'Cloud Co', slug: 'cloud-co' })
    expect(created.status).toBe(201)
    const { organization } = created.body
    expect(organization).toMatchObject({ slug: 'cloud-co', daemonMode: 'cloud_hosted' })
    expect((await ada.get(`/api/orgs/${organization.id}/audit`)).body.entries.at(-1).record).toMatchObject({
      event: 'organization.created',
      actor: { kind: 'user', id: ada.id },
    })
    await running(ada, 'cloud-co')
    await until('the row is active', async () => (await rowOf(cp, organization.id))?.state === 'active')

    const daemon = await cp.store.find(managedDaemonName(organization.id))
    expect(daemon?.spec).toMatchObject({
      orgId: organization.id,
      orgSlug: 'cloud-co',
      desiredState: 'running',
      relay: { url: `${cp.origin}/t/${organization.id}`, keyGeneration: 1, acceptedGeneration: 1 },
      operation: { action: 'provision' },
    })
    expect((await rowOf(cp, organization.id))?.resource_uid).toBe(daemon?.uid)
    const keys = await cp.db
      .selectFrom('daemon_keys')
      .innerJoin('daemons', 'daemons.id', 'daemon_keys.daemon_id')
      .select(['daemon_keys.hash', 'daemon_keys.generation'])
      .where('daemons.org_id', '=', organization.id)
      .execute()
    expect(keys.map(({ hash, generation }) => [hash.toString('hex'), generation])).toEqual([
      [keyHash(organization.id, 1), 1],
    ])
    const listEvents = () =>
      cp.db
        .selectFrom('lifecycle_events')
        .select(['kind', 'observed_state'])
        .where('org_id', '=', organization.id)
        .orderBy('id')
        .execute()
    // The observer records the state concurrently with the work, which may finish first.
    await until('the last state is noted', async () => {
      const events = await listEvents()
      const seen = events.filter(({ kind }) => kind === 'state_observed')
      return seen.at(-1)?.observed_state === 'running' && events.some(({ kind }) => kind === 'provisioned')
    })
    const kinds = (await listEvents()).map(({ kind }) => kind)
    expect(kinds).toContain('entitled')
    expect(kinds).toContain('provisioned')
    expect((await listedVaults(() => ada.get('/api/vaults'))).organizations[0]).toMatchObject({
      state: 'starting',
      vaults: [],
    })
    await expect(
      cp.db.updateTable('organization').set({ daemon_mode: 'self_hosted' }).where('id', '=', organization.id).execute(),
    ).rejects.toThrow(/fixed/)
  })

  test('listing vaults and reading the status never wake a sleeping daemon', async () => {
    verifies('cp.vaults')
    const cp = await start()
    operate(cp)
    const ada = await signUp(cp)
    const { organization } = (await create(ada)).body
    await running(ada, organization.slug)
    const name = managedDaemonName(organization.id)
    await changeSpec(cp.store, name, { desiredState: 'sleeping' })
    await until('it sleeps', async () => (await statusOf(ada, organization.slug))?.observedState === 'sleeping')
    expect((await listedVaults(() => ada.get('/api/vaults'))).organizations[0]).toMatchObject({
      state: 'sleeping',
      vaults: [],
    })
    expect((await cp.store.find(name))?.spec.desiredState).toBe('sleeping')

    // The request waits until the daemon is connected. Here there is none, so it ends with the control plane.
    const asked = ada.post(`/api/orgs/${organization.id}/vaults/hosted`, { displayName: 'V', slug: 'vault' })
    asked.catch(() => {})
    await until('it is woken', async () => (await cp.store.find(name))?.spec.desiredState === 'running')
  })

  test('needs the provisioning code outside local and test', async () => {
    verifies('cp.provision-hosted')
    const cp = await start({
      environment: { ENVIRONMENT: 'production', PROVISIONING_CODE: 'let me in' },
      working: false,
    })
    const ada = await signUp(cp)
    for (const provisioningCode of [undefined, '', 'let me in ', 'LET ME IN'])
      expect((await create(ada, { name: 'X', provisioningCode })).body.error, String(provisioningCode)).toMatchObject({
        code: 'forbidden',
        details: { reason: 'provisioning_code' },
      })
    expect((await create(ada, { name: 'X', provisioningCode: 'let me in' })).status).toBe(201)
    expect((await ada.get('/api/app-config')).body).toMatchObject({ provisioningCodeRequired: true })

    const without = await start({ environment: { ENVIRONMENT: 'production' }, working: false })
    const bob = await signUp(without)
    expect((await create(bob, { name: 'X', provisioningCode: '' })).body.error.code).toBe('forbidden')
  })
})

describe('a control plane that dies', () => {
  const points = ['before create', 'after create', 'before patch', 'after patch'] as const
  test.each(points)('%s: the next one goes on, and there is one daemon', async (point) => {
    verifies('cp.provision-crash')
    const database = await createTestDatabase()
    cleanups.push(database.drop)
    const dead = diesAt(point)
    const first = await startControlPlane({ working: true, database, wrapStore: dead.wrap })
    const stopOperator = startSmallOperator(first.store)
    const ada = await signUp(first)
    const { organization } = (await create(ada)).body
    await dead.happened
    await stopOperator()
    await first.stop()

    const second = await start({ database })
    operate(second)
    ada.cookies.clear()
    const again = second.person()
    again.email = ada.email
    await again.signIn()
    await running(again, organization.slug)
    await until('the row is active', async () => (await rowOf(second, organization.id))?.state === 'active')
    const daemons = await second.store.list()
    expect(daemons.map(({ spec }) => spec.orgId)).toEqual([organization.id])
    expect(daemons[0]?.spec.relay.acceptedGeneration).toBe(1)
    expect((await rowOf(second, organization.id))?.resource_uid).toBe(daemons[0]?.uid)
    const listProvisioned = () =>
      second.db.selectFrom('lifecycle_events').select('id').where('kind', '=', 'provisioned').execute()
    // The event follows the state.
    await until('the event is noted', async () => (await listProvisioned()).length > 0)
    expect(await listProvisioned()).toHaveLength(1)
  })

  test('a lost queue costs a sweep and nothing else', async () => {
    const database = await createTestDatabase()
    cleanups.push(database.drop)
    const first = await startControlPlane({ working: false, database })
    const ada = await signUp(first)
    const { organization } = (await create(ada)).body
    await first.stop()
    const client = await start({ database, working: false })
    await client.db.schema.dropSchema('bullmq').ifExists().cascade().execute()
    await updateSchema({ db: client.db, url: database.url, jobs: 'postgres' })
    const second = await start({ database })
    operate(second)
    await until('the row is active', async () => (await rowOf(second, organization.id))?.state === 'active')
  })
})

describe('what is believed of a resource', () => {
  test('a resource of another identity is not believed, and its key is not accepted', async () => {
    const cp = await start()
    const ada = await signUp(cp)
    const { organization } = (await create(ada)).body
    await until('the identity is recorded', async () => (await rowOf(cp, organization.id))?.resource_uid != null)
    await cp.db
      .updateTable('managed_daemons')
      .set({ resource_uid: '00000000-0000-0000-0000-000000000000' })
      .where('organization_id', '=', organization.id)
      .execute()
    const problem = async () => (await rowOf(cp, organization.id))?.last_problem
    await until('the other identity is noted', async () => (await problem()) != null)
    await cp.db.updateTable('managed_daemons').set({ last_problem: null }).execute()
    // The key is reported only now: a run that read the row before its change would rightly accept it.
    operate(cp)
    await until('the problem is noted again', async () => (await problem()) != null)
    expect(await cp.db.selectFrom('daemon_keys').select('id').execute()).toEqual([])
    expect((await cp.store.find(managedDaemonName(organization.id)))?.spec.relay.acceptedGeneration).toBe(0)
  })
})

test('deletion hides the organization at once and takes the infrastructure down before the rows', async () => {
  verifies('cp.delete-organization')
  const cp = await start()
  const stopOperator = startSmallOperator(cp.store)
  const ada = await signUp(cp)
  const { organization } = (await create(ada)).body
  await running(ada, organization.slug)
  await stopOperator()

  await deleteOrganization(ada, organization)
  expect((await ada.get('/api/settings')).body.organizations).toEqual([])
  expect((await ada.get(`/api/orgs/${organization.slug}/hosted/status`)).body.error.code).toBe('not_found')
  const name = managedDaemonName(organization.id)
  await until('the resource is marked', async () => (await cp.store.find(name))?.deletedAt !== undefined)
  expect((await cp.store.find(name))?.spec.deletionPolicy).toBe('delete')
  const rows = () => cp.db.selectFrom('organization').select('id').where('id', '=', organization.id).execute()
  expect(await rows()).toHaveLength(1)

  operate(cp)
  await until('the rows are gone', async () => (await rows()).length === 0)
  expect(await cp.store.find(name)).toBeUndefined()
  expect(await rowOf(cp, organization.id)).toBeUndefined()
  const events = () =>
    cp.db.selectFrom('lifecycle_events').select('kind').where('org_id', '=', organization.id).execute()
  await until('its end is noted', async () => (await events()).some(({ kind }) => kind === 'deleted'))
  expect((await events()).map(({ kind }) => kind)).toContain('deletion_started')
  const operations = () => cp.db.selectFrom('operations').selectAll().where('org_id', '=', organization.id).execute()
  await until('the operation has ended', async () => (await operations()).every(({ state }) => state !== 'executing'))
  expect(await operations()).toMatchObject([{ action: 'deletion', state: 'succeeded', actor_id: ada.id }])
})

/** A store that fails from one moment on, as it does for a process that was killed then. */
function diesAt(point: 'before create' | 'after create' | 'before patch' | 'after patch') {
  const { promise: happened, resolve } = Promise.withResolvers<void>()
  let dead = false
  const die = (): never => {
    dead = true
    resolve()
    throw new Error('killed')
  }
  const alive = () => {
    if (dead) throw new Error('killed')
  }
  const wrap = (store: ManagedDaemonStore): ManagedDaemonStore => ({
    ...store,
    find: async (name) => {
      alive()
      return store.find(name)
    },
    create: async (spec) => {
      alive()
      if (point === 'before create') die()
      const created = await store.create(spec)
      return point === 'after create' ? die() : created
    },
    patchSpec: async (...patch) => {
      alive()
      if (point === 'before patch') die()
      const patched = await store.patchSpec(...patch)
      return point === 'after patch' ? die() : patched
    },
  })
  return { wrap, happened }
}
