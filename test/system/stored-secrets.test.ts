import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { createJobs } from '../../control-plane/src/jobs/jobs.ts'
import { createRedisQueue } from '../../control-plane/src/jobs/queue-backend.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { verifies } from '../requirements.ts'
import { codeOf, enrol } from '../support/authenticator.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { endProcess } from '../support/end-process.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { mailedToken } from '../support/mailbox.ts'
import { PASSWORD as SHARED_PASSWORD, type Person } from '../support/person.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { refuseReadableSecrets } from '../support/readable-secrets.ts'
import { startRedis } from '../support/redis.ts'
import { findIn, findStored, listCommandLines } from '../support/secret-scan.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { wake } from '../support/wake.ts'
import { removeFolder } from '../support/remove-folder.ts'

const AUTH_SECRET = 'scanned-auth-secret-of-the-tests-long-enough'
const ADMIN_TOKEN = 'scanned-image-token-of-the-tests-0123456789'
const FIRST_PASSWORD = 'scanned first password'
const PASSWORD = 'scanned second password'
const keyFile = join(tmpdir(), `svc-scan-${newId('org_')}`)

let cp: TestControlPlane
let person: Person
let daemon: Svcd
let secrets: Record<string, string>

beforeAll(async () => {
  cp = await startControlPlane({
    working: true,
    clock: hurriedClock(25),
    environment: { AUTH_SECRET, MANAGED_DAEMON_ADMIN_TOKEN: ADMIN_TOKEN, MCP_ENABLED: '1' },
  })
  person = cp.person()
  await person.signUp({ email: 'scanned@example.org', password: FIRST_PASSWORD })
  await cp.person().post('/api/auth/sign-in/email', { email: person.email, password: 'scanned wrong password' })
  await person.post('/api/auth/change-password', { currentPassword: FIRST_PASSWORD, newPassword: PASSWORD })

  await person.post('/api/auth/request-password-reset', { email: person.email })
  const reset = mailedToken(await cp.mailTo(person.email, 'reset-password'))
  await cp.person().post('/api/auth/sign-in/magic-link', { email: person.email })
  const magic = mailedToken(await cp.mailTo(person.email, 'magic-link'))
  await person.post('/api/settings/email', { email: 'moved@example.org' })
  const change = mailedToken(await cp.mailTo('moved@example.org', 'change-email'))

  const { body: made } = await person.post('/api/provisioning/orgs/self-hosted', { name: 'Scanned' })
  const orgId = made.organization.id as string
  const { body: rotated } = await person.post(`/api/orgs/${orgId}/api-key/rotate`, { immediate: false })
  await person.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Scanned hosted' })
  const { body: invited } = await person.post('/api/auth/organization/invite-member', {
    organizationId: orgId,
    email: 'guest@example.org',
    role: 'member',
  })
  const invitation = mailedToken(await cp.mailTo('guest@example.org', 'invitation'))
  const { body: copied } = await person.post(`/api/orgs/${orgId}/invitations/${invited.id}/link`)
  await cp.raw('POST', `/api/admin/managed-daemons/${orgId}/image`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ image: `local/svcd@sha256:${'0'.repeat(64)}`, confirmation: orgId }),
  })
  const app = await enrol(person, { db: cp.db, password: PASSWORD })

  await writeFile(keyFile, rotated.apiKey as string, { mode: 0o600 })
  daemon = await startSvcd({ env: { SVC_RELAY_URL: `${cp.origin}/t/${orgId}`, SVC_RELAY_TOKEN_FILE: keyFile } })
  secrets = {
    AUTH_SECRET: AUTH_SECRET,
    'admin token': ADMIN_TOKEN,
    'first password': FIRST_PASSWORD,
    'second password': PASSWORD,
    'wrong password': 'scanned wrong password',
    'first daemon key': made.apiKey,
    'rotated daemon key': rotated.apiKey,
    'link to reset the password': reset,
    'link to sign in': magic,
    'link to change the address': change,
    'mailed invitation': invitation,
    'copied link of the invitation': new URL(copied.link).hash.split('=').at(-1) ?? '',
    'secret of the authenticator app': new URL(app.uri).searchParams.get('secret') ?? '',
    'recovery code': app.recoveryCodes[0] ?? '',
  }
  expect(codeOf(app.uri)).toMatch(/^\d{6}$/)
})
afterAll(async () => {
  await daemon?.remove()
  await rm(keyFile, { force: true })
  await cp.stop()
})

test('no table, job, log line, metric or command line holds a password, a key or a mailed link readably', async () => {
  verifies('security.nothing-readable', 'daemon-key.hash-only')
  for (const [name, secret] of Object.entries(secrets)) expect(secret.length, name).toBeGreaterThan(8)
  // The outbox stores mails in plain text by design, because it shows them if no mail server is set. It is only for
  // loopback.
  const stored = (await findStored(cp.db, secrets)).filter((found) => !found.startsWith('public.outbox:'))
  expect(stored).toEqual([])
  const texts = [
    ['log of the control plane', cp.logged()],
    ['metrics', await cp.metrics()],
    ['log of the daemon', daemon.output()],
    ['command lines', await listCommandLines()],
  ] as const
  expect(findIn(texts, secrets)).toEqual([])
  expect(texts[3][1]).toContain('svcd')
})

test('the scan finds what it looks for, as text and as bytes', async () => {
  const canary = { canary: 'canary-of-the-scan' }
  await cp.db.updateTable('user').set({ name: canary.canary }).where('id', '=', person.id).execute()
  await cp.db
    .updateTable('signing_keys')
    .set({ sealed_private: Buffer.from(`before ${canary.canary} after`) })
    .where('use', '=', 'entry')
    .execute()
  expect(await findStored(cp.db, canary)).toEqual(['public.signing_keys: canary', 'public.user: canary'])
})

test('a database that holds a daemon key or a password as it was typed is not given up silently', async () => {
  verifies('security.nothing-readable')
  for (const [what, secret] of [
    ['a daemon key', secrets['first daemon key']!],
    ['the password of a person', SHARED_PASSWORD],
  ] as const) {
    const database = await createTestDatabase()
    const { db, close } = openDatabase({ url: database.url, log: createLog({ service: 'test', level: 'fatal' }) })
    await sql`create table canaries as select 1 as id, ${`before ${secret} after`}::text as kept`.execute(db)
    await close()
    await expect(database.drop()).rejects.toThrow(`holds ${what} readably`)
  }
  expect(() => refuseReadableSecrets('the log', `key ${secrets['first daemon key']}`)).toThrow('a daemon key')
})

test('a Redis into which a job wrote a key is not given up silently, even after the job is gone', async () => {
  verifies('security.nothing-readable')
  const redis = await startRedis()
  const jobs = createJobs({
    backend: createRedisQueue(new Secret(redis.url)),
    log: createLog({ service: 'test', level: 'silent' }),
  })
  const worked: string[] = []
  await jobs.start({ canary: async (subject) => void worked.push(subject) })
  await wake(jobs, 'canary', `before ${secrets['first daemon key']!} after`)
  await until('the job is done', () => worked.length === 1)
  await jobs.close()
  await expect(redis.stop()).rejects.toThrow('Redis holds a daemon key readably')
})

test('a svcd that logged a key is not removed silently, even after a restart', async () => {
  verifies('security.nothing-readable')
  const folder = await mkdtemp(join(tmpdir(), 'svc-scan-program-'))
  const program = join(folder, 'leaks.mjs')
  const key = secrets['first daemon key']!
  await writeFile(
    program,
    `import { existsSync, writeFileSync } from 'node:fs'
     const [mark, key] = ${JSON.stringify([join(folder, 'mark'), key])}
     if (!existsSync(mark)) console.log('key ' + key)
     writeFileSync(mark, '')
     console.log('svcd listening at http://127.0.0.1:1, home')
     process.once('SIGTERM', () => process.exit())
     setInterval(() => {}, 1000)`,
  )
  const leaking = await startSvcd({ program })
  await leaking.stop()
  await leaking.restart()
  expect(leaking.output()).not.toContain(key)
  await expect(leaking.remove()).rejects.toThrow('the log of svcd holds a daemon key readably')
  await removeFolder(folder)
})

const WAIT = 'console.log("ready"); process.stdin.resume().once("end", () => process.exit())'
// The child waits for the end of its input, which comes when this process ends.
const START_ANOTHER = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(WAIT)}],
  { stdio: ['pipe', 'inherit', 'inherit'], env: { CANARY: process.env.CANARY } }); ${WAIT}`

test.each([
  ['a command line', 'the command line of process', (key: string) => ({ args: ['-e', WAIT, key], lines: 1 })],
  ['the environment of a child', 'the environment of process', () => ({ args: ['-e', START_ANOTHER], lines: 2 })],
])('a process with a key in %s does not end silently', async (_place, message, plan) => {
  verifies('security.nothing-readable')
  const key = secrets['first daemon key']!
  const { args, lines } = plan(key)
  // The process itself may get its key through its environment.
  const child = spawn(process.execPath, args, { env: { CANARY: key }, stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  await until('it runs', () => said.split('ready').length > lines)
  await expect(endProcess(child, 'SIGTERM')).rejects.toThrow(message)
  expect(child.signalCode).toBe('SIGTERM')
})
