import { afterAll, beforeAll, expect, test } from 'vitest'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import type { Person } from '../support/person.ts'
import { startSmallOperator } from '../support/small-operator.ts'
import { until } from '../support/until.ts'

const operatorOrg = newId('org_')
let database: TestDatabase
let cp: TestControlPlane
let stopOperator: () => Promise<void>
let root: Person
let count = 0

/** Starts the platform on the same database. The system admin signs in, or signs up at the first start. */
async function start(environment: Record<string, string> = {}): Promise<void> {
  cp = await startControlPlane({ working: true, database, environment: { OPERATOR_ORG: operatorOrg, ...environment } })
  stopOperator = startSmallOperator(cp.store)
  const isFirst = root === undefined
  root = cp.person()
  root.email = 'root@example.org'
  if (!isFirst) return void (await root.signIn())
  await root.signUp({ email: root.email })
  await makeFirstAdmin(cp, operatorOrg, root)
}

beforeAll(async () => {
  database = await createTestDatabase()
  await start()
})
afterAll(async () => {
  await stopOperator?.()
  await cp?.stop()
  await database?.drop()
})

const make = async () => {
  const made = await root.post('/api/provisioning/orgs/cloud-hosted', { name: `Waiting ${(count += 1)}` })
  expect(made.status).toBe(201)
  return made.body.organization as { id: string; slug: string; name: string; daemonMode: string }
}
const grant = ({ id, slug }: { id: string; slug: string }, person = root) =>
  person.post(`/api/admin/orgs/${id}/managed-daemon/comped`, {
    operationId: `grant-${(count += 1)}-of-the-test`,
    reason: 'a gift',
    confirmation: slug,
  })
const itemOf = async ({ id }: { id: string }) =>
  (await root.get(`/api/admin/managed-daemons?orgId=${id}`)).body.daemons[0]
const running = ({ id }: { id: string }) =>
  until('the daemon runs', async () => (await cp.store.find(managedDaemonName(id)))?.status.observedState === 'running')

test('a system admin makes a hosted organization without entitlement, and grants it access', async () => {
  verifies('admin.comped-again')
  const organization = await make()
  expect(organization.daemonMode).toBe('cloud_hosted')
  expect(await itemOf(organization)).toMatchObject({ entitlement: null, daemon: null })
  expect((await root.get(`/api/orgs/${organization.id}/audit`)).body.entries[0].record).toMatchObject({
    event: 'organization.created',
    actor: { kind: 'user', id: root.id },
  })

  expect((await grant(organization)).body).toMatchObject({ ok: true, entitlement: { kind: 'comped' } })
  await running(organization)
  const again = await grant(organization)
  expect([again.status, again.body.error.details.reason]).toEqual([422, 'AlreadyEntitled'])
})

test('it can be deleted before it has a daemon', async () => {
  const organization = await make()
  const deleted = await root.delete(`/api/orgs/${organization.id}`, { name: organization.name })
  expect(deleted.status).toBe(200)
  await until('it is gone from the inventory', async () => (await itemOf(organization)) === undefined)
})

test('an organization whose entitlement lapsed gets it back and keeps its daemon', async () => {
  verifies('admin.comped-again')
  const organization = await make()
  await grant(organization)
  await running(organization)
  const before = (await cp.store.find(managedDaemonName(organization.id)))!
  await cp.db.deleteFrom('entitlements').where('org_id', '=', organization.id).execute()
  expect((await itemOf(organization)).entitlement).toBeNull()

  expect((await grant(organization)).body).toMatchObject({ ok: true, entitlement: { kind: 'comped' } })
  expect((await itemOf(organization)).entitlement).toMatchObject({ kind: 'comped' })
  expect((await cp.store.find(managedDaemonName(organization.id)))!.uid).toBe(before.uid)
})

test('a grant that failed can be given again', async () => {
  verifies('admin.comped-again')
  const organization = await make()
  await stopOperator()
  await cp.stop()
  // A platform that has no image for new daemons.
  await start({ DEFAULT_DAEMON_IMAGE: '' })
  const failed = await grant(organization)
  expect([failed.status, failed.body.error.details.reason]).toEqual([422, 'NoHostedDaemons'])
  await stopOperator()
  await cp.stop()

  await start()
  expect((await grant(organization)).body).toMatchObject({ ok: true, entitlement: { kind: 'comped' } })
  await running(organization)
})
