import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import { runCommand } from '../../control-plane/src/cli/svc-admin.ts'
import { verifies } from '../requirements.ts'
import { codeOf, enrol, forgetUsedCodes } from '../support/authenticator.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { PASSWORD, type Person } from '../support/person.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

const operatorOrg = newId('org_')

let database: TestDatabase
let cp: TestControlPlane
let admin: Person
let second: Awaited<ReturnType<typeof enrol>>

beforeAll(async () => {
  database = await createTestDatabase()
  cp = await startControlPlane({
    database,
    environment: { OPERATOR_ORG: operatorOrg, SYSTEM_ADMINS_NEED_TWO_FACTOR: '1' },
  })
  admin = cp.person()
  await admin.signUp({ email: 'root@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
})
afterAll(async () => {
  await cp.stop()
  await database.drop()
})

/** Runs the command in this process: the codes of an authenticator app are only valid for a minute. */
async function run(argv: string[], env: Record<string, string>) {
  let text = ''
  const terminal = {
    stdin: process.stdin,
    stdout: { write: (chunk: string) => (text += chunk) },
    stderr: { write: () => true },
  }
  const code = await runCommand({ argv, env: { SVC_ADMIN_URL: cp.origin, ...env }, terminal })
  return { code, body: JSON.parse(text) as Record<string, unknown> }
}
const resets = () =>
  cp.db
    .selectFrom('audit_entries')
    .select('record')
    .where('chain', '=', 'platform')
    .execute()
    .then((rows) => rows.map(({ record }) => JSON.parse(String(record)) as Record<string, unknown>))
    .then((records) => records.filter(({ event }) => event === 'accounts.two_factor_reset'))

test('where the setting is on, system admins without two-factor sign-in are told to turn it on', async () => {
  verifies('admin.two-factor-required')
  const refused = await admin.get('/api/admin/status')
  expect([refused.status, refused.body.error.code]).toEqual([403, 'second_factor_required'])
  const invited = { organizationId: operatorOrg, email: 'b@example.org', role: 'admin' }
  const invitation = await admin.post('/api/auth/organization/invite-member', invited)
  expect(invitation.body.error.code).toBe('second_factor_required')

  second = await enrol(admin, { db: cp.db, password: PASSWORD })
  expect((await admin.get('/api/admin/status')).status).toBe(200)
  expect((await admin.post('/api/auth/organization/invite-member', invited)).status).toBe(200)
})

test('svc-admin signs in with a code or a recovery code', async () => {
  verifies('admin.cli')
  const status = (code: string) =>
    run(['status', '--email', admin.email], { SVC_ADMIN_PASSWORD: PASSWORD, SVC_ADMIN_CODE: code })
  expect(await status(codeOf(second.uri))).toMatchObject({ code: 0, body: { systemAdmin: true } })
  expect(await status(second.recoveryCodes[0] ?? '')).toMatchObject({ code: 0 })
  expect(await status('000')).toMatchObject({ code: 1, body: { error: { code: 'unauthenticated' } } })
})

test('a system admin takes a lost authenticator app off an account, and the audit says who and why', async () => {
  verifies('admin.two-factor-reset')
  const ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  await enrol(ada, { db: cp.db, password: PASSWORD })
  await forgetUsedCodes(cp.db)

  const args = ['two-factor', 'reset', '--person', 'Ada@example.org', '--reason', 'lost phone, called back']
  const signedIn = { SVC_ADMIN_PASSWORD: PASSWORD, SVC_ADMIN_CODE: codeOf(second.uri) }
  expect(await run([...args, '--email', admin.email], signedIn)).toMatchObject({ code: 0, body: { userId: ada.id } })
  expect((await ada.get('/api/settings')).status, 'every session ended').toBe(401)
  expect((await ada.signIn()).body.token).toBeTypeOf('string')
  expect((await cp.mailTo(ada.email, 'two-factor-reset')).subject).toContain('reset')
  expect(await resets()).toMatchObject([
    { actor: { kind: 'user', id: admin.id }, subject: ada.id, reason: 'lost phone, called back' },
  ])
  // A member may not do this, and it works only once.
  const body = { email: ada.email, reason: 'x' }
  expect((await ada.post('/api/admin/people/two-factor/reset', body)).status).toBe(403)
  expect((await admin.post('/api/admin/people/two-factor/reset', body)).status).toBe(404)
})

test('the only system admin, who lost everything, is let in again from the database', async () => {
  verifies('admin.two-factor-reset')
  const env = { DATABASE_URL: database.appUrl.reveal(), AUTH_SECRET: 'x'.repeat(32), BASE_URL: cp.origin }
  const args = ['two-factor', 'reset', '--on-database', '--person', admin.email, '--reason', 'lost phone']
  expect(await run(args, { ...env, ENVIRONMENT: 'test', MANAGED_DAEMON_STORE: 'none' })).toMatchObject({ code: 0 })
  expect((await admin.signIn()).body.token).toBeTypeOf('string')
  expect((await resets()).at(-1)).toMatchObject({ actor: { kind: 'system', id: 'terminal' }, subject: admin.id })
})
