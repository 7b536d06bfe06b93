import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import type { Person } from '../support/person.ts'
import { whileRefused } from '../support/refused-entries.ts'

const operatorOrg = newId('org_')
const rule = { key: 'https://agent.example', verdict: 'blocked' }

let cp: TestControlPlane
let ada: Person
let root: Person
let orgId = ''

beforeAll(async () => {
  // Nothing asks the bucket: this control plane works off no jobs.
  const bucket = { BACKUP_BUCKET: 'backups', BACKUP_KEY: '0'.repeat(64), BACKUP_ENDPOINT: 'http://127.0.0.1:9' }
  cp = await startControlPlane({ environment: { MCP_ENABLED: '1', OPERATOR_ORG: operatorOrg, ...bucket } })
  ada = cp.person()
  root = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  await root.signUp({ email: 'root@example.org' })
  await makeFirstAdmin(cp, operatorOrg, root, systemClock)
  orgId = (await ada.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Acme' })).body.organization.id
})
afterAll(() => cp.stop())

const recordsOf = async (reader: Person, path: string, event: string) =>
  ((await reader.get(path)).body.entries as { record: AuditRecord }[])
    .map(({ record }) => record)
    .filter((record) => record.event === event)
    .toReversed()
const set = (what: string, seconds: number | null) => ada.patch(`/api/orgs/${orgId}/hosted/${what}`, { seconds })
const applyRule = () => root.send('PUT', '/api/admin/agent-rules', { body: rule })

test.each([
  ['idle-sleep', 'organization.idle_sleep_set'],
  ['backups', 'organization.backup_schedule_set'],
])('an admin of an organization sets %s, and its audit says so', async (what, event) => {
  verifies('admin.settings-audit')
  for (const seconds of [7200, 0, null]) expect((await set(what, seconds)).status).toBe(200)
  const common = { event, actor: { kind: 'user', id: ada.id }, orgId }
  const outcomes = ['7200_seconds', 'never', 'platform']
  const records = await recordsOf(ada, `/api/orgs/${orgId}/audit`, event)
  expect(records).toMatchObject(outcomes.map((outcome) => ({ ...common, outcome })))
})

test('no setting changes without its entry', async () => {
  verifies('admin.settings-audit')
  const settings = async () => {
    const [idle] = await cp.db.selectFrom('managed_daemons').select('idle_seconds').execute()
    const backups = await cp.db.selectFrom('backup_states').select('every_seconds').execute()
    const rules = await cp.db.selectFrom('agent_rules').select('key').execute()
    return { idle, backups, rules }
  }
  const before = await settings()
  for (const [event, act] of [
    ['organization.idle_sleep_set', () => set('idle-sleep', 3600)],
    ['organization.backup_schedule_set', () => set('backups', 3600)],
    ['agents.rule', applyRule],
  ] as const)
    expect([event, (await whileRefused(cp.db, event, act)).body.error?.code]).toEqual([event, 'database_unavailable'])
  expect(await settings()).toEqual(before)

  expect((await applyRule()).status).toBe(200)
  const records = await recordsOf(root, '/api/admin/audit?chain=platform', 'agents.rule')
  expect(records).toMatchObject([{ outcome: 'blocked', subject: 'agent.example' }])
})
