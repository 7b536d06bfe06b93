import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import type { Answer, Person } from '../support/person.ts'
import { startSmallOperator } from '../support/small-operator.ts'
import { until } from '../support/until.ts'

const AT_ONCE = 12
const operatorOrg = newId('org_')

let database: TestDatabase
let replicas: TestControlPlane[]
let stopOperator: () => Promise<void>
let root: Person

// Two control planes work on the same database and the same jobs.
beforeAll(async () => {
  database = await createTestDatabase()
  const options = { working: true, database, environment: { OPERATOR_ORG: operatorOrg } }
  replicas = [await startControlPlane(options), await startControlPlane({ ...options, working: false })]
  const [cp] = replicas as [TestControlPlane]
  stopOperator = startSmallOperator(cp.store)
  root = cp.person()
  await root.signUp({ email: 'root@example.org' })
  await makeFirstAdmin(cp, operatorOrg, root)
})
afterAll(async () => {
  await stopOperator?.()
  for (const replica of replicas ?? []) await replica.stop()
  await database?.drop()
})

const atOnce = (call: (turn: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, turn) => call(turn)))
const organizationsNamed = (name: string) =>
  replicas[0]!.db.selectFrom('organization').select(['id', 'slug']).where('name', '=', name).execute()

test('of many who choose one short name at once, one gets it', async () => {
  verifies('cp.slug-race')
  const answers = await atOnce(() =>
    root.post('/api/provisioning/orgs/self-hosted', { name: 'Chosen', slug: 'chosen' }),
  )
  const codes = answers.map(({ body }) => (body.ok ? 'made' : body.error.code)).toSorted()
  expect(codes).toEqual(['made', ...Array.from({ length: AT_ONCE - 1 }, () => 'slug_taken')])
  expect(await organizationsNamed('Chosen')).toMatchObject([{ slug: 'chosen' }])
})

test('organizations of one name made at once get short names of their own', async () => {
  verifies('cp.slug-race')
  const answers = await atOnce(() => root.post('/api/provisioning/orgs/self-hosted', { name: 'Same Name' }))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: AT_ONCE }, () => 201))
  const slugs = answers.map(({ body }) => body.organization.slug as string)
  expect(new Set(slugs).size).toBe(AT_ONCE)
  expect(slugs.filter((slug) => slug === 'same-name')).toHaveLength(1)
})

test('provisioning twice at once makes one organization with one daemon and one key', async () => {
  verifies('cp.provision-race')
  const [cp] = replicas as [TestControlPlane]
  const body = { name: 'Twice', slug: 'twice' }
  const answers = await atOnce(() => root.post('/api/provisioning/orgs/cloud-hosted/comped', body))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  const [made, ...others] = await organizationsNamed('Twice')
  expect(others).toEqual([])
  await until('its daemon runs', async () =>
    (await cp.store.list()).some(({ spec, status }) => spec.orgId === made!.id && status.observedState === 'running'),
  )
  expect((await cp.store.list()).filter(({ spec }) => spec.orgId === made!.id)).toHaveLength(1)
  const rows = await cp.db.selectFrom('managed_daemons').selectAll().where('organization_id', '=', made!.id).execute()
  expect(rows).toHaveLength(1)
})

test('of grants at once to one organization one is given, and the others say why not', async () => {
  verifies('cp.grant-race')
  const [cp, other] = replicas as [TestControlPlane, TestControlPlane]
  const { body } = await root.post('/api/provisioning/orgs/cloud-hosted', { name: 'Given once' })
  const { id, slug } = body.organization as { id: string; slug: string }
  const elsewhere = other.person()
  elsewhere.email = root.email
  await elsewhere.signIn()
  const answers = await atOnce((turn) =>
    (turn % 2 === 0 ? root : elsewhere).post(`/api/admin/orgs/${id}/managed-daemon/comped`, {
      operationId: `grant-race-${turn}`,
      reason: 'a gift',
      confirmation: slug,
    }),
  )
  const codes = answers.map(({ body: answer }) => (answer.ok ? 'given' : answer.error.code))
  expect(codes.filter((code) => code === 'given')).toHaveLength(1)
  expect(
    codes.every((code) => ['given', 'organization_busy', 'operation_failed'].includes(code)),
    `${codes}`,
  ).toBe(true)
  const given = await cp.db.selectFrom('entitlements').selectAll().where('org_id', '=', id).execute()
  expect(given).toHaveLength(1)
  const events = await cp.db.selectFrom('lifecycle_events').select('kind').where('org_id', '=', id).execute()
  expect(events.filter(({ kind }) => kind === 'entitled')).toHaveLength(1)
})
