import { sql } from 'kysely'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { createReconciler } from '../../operator/src/reconciler/reconciler.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { limits } from '../support/hosted-world.ts'
import { memoryRuntime } from '../support/memory-runtime.ts'
import { PASSWORD, type Person } from '../support/person.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { until } from '../support/until.ts'

const program = fileURLToPath(new URL('../../control-plane/bin/svc-admin.js', import.meta.url))
const TOKEN = 'image-token-of-the-tests-0123456789abcdef'
const FORMER_TOKEN = 'former-token-of-the-tests-0123456789abcdef'
// A change of the token is under way.
const TOKENS = `${FORMER_TOKEN}, ${TOKEN}`
const EMAIL = 'admin@example.org'
const operatorOrg = newId('org_')
const image = (digit: string) => `local/svcd@sha256:${digit.repeat(64)}`

let cp: TestControlPlane
let reconciler: ReturnType<typeof createReconciler>
let admin: Person
let orgId: string

beforeAll(async () => {
  const environment = { OPERATOR_ORG: operatorOrg, MANAGED_DAEMON_ADMIN_TOKEN: TOKENS, MCP_ENABLED: '1' }
  cp = await startControlPlane({ working: true, environment })
  const { runtime } = memoryRuntime()
  const log = createLog({ service: 'operator', level: 'fatal' })
  reconciler = createReconciler({ store: cp.store, runtime, clock: systemClock, log, random: Math.random, limits })
  reconciler.start()

  admin = cp.person()
  await admin.signUp({ email: EMAIL })
  await makeFirstAdmin(cp, operatorOrg, admin)
  const { body } = await admin.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Alpha', slug: 'alpha' })
  orgId = body.organization.id
  await until('alpha runs', async () => (await cp.store.list())[0]?.status.operation?.outcome === 'succeeded')
})
afterAll(async () => {
  await reconciler.stop()
  await cp.stop()
})

type Run = { code: number | null; stdout: string; stderr: string; json: any } // eslint-disable-line typescript/no-explicit-any

async function run(args: string[], env: NodeJS.ProcessEnv = {}, descriptor3?: string): Promise<Run> {
  const stdio = ['ignore', 'pipe', 'pipe', ...(descriptor3 === undefined ? [] : ['pipe' as const])] as const
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...programEnvironment({ SVC_ADMIN_URL: cp.origin }), ...env },
    stdio: [...stdio],
  })
  if (descriptor3 !== undefined) (child.stdio[3] as NodeJS.WritableStream).end(descriptor3)
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr, json: readJson(stdout) }
}
const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
const signedIn = { SVC_ADMIN_PASSWORD: PASSWORD }
const asAdmin = (args: string[]) => run([...args, '--email', EMAIL], signedIn)
const roll = (...more: string[]) => [
  'image',
  'roll',
  '--org',
  orgId,
  '--image',
  image('2'),
  '--confirm',
  orgId,
  ...more,
]

test('in a pod, where only the platform has an address, commands reach it there', async () => {
  verifies('admin.cli')
  const inPod = { ...signedIn, SVC_ADMIN_URL: undefined, BASE_URL: cp.origin }
  expect(await run(['status', '--email', EMAIL], inPod)).toMatchObject({ code: 0, json: { ok: true } })
  expect((await run(['--help'])).stdout).toContain('BASE_URL')
  const elsewhere = { ...inPod, SVC_ADMIN_URL: 'http://127.0.0.1:1' }
  expect((await run(['status', '--email', EMAIL], elsewhere)).stdout).toContain('127.0.0.1:1')
  const unnamed = await run(['status', '--email', EMAIL], { ...signedIn, SVC_ADMIN_URL: undefined })
  expect(unnamed).toMatchObject({ code: 78, stderr: expect.stringContaining('SVC_ADMIN_URL') })
})

test('signing keys are listed and rotated, with a reason', async () => {
  verifies('signing-keys.rotation')
  const statesOf = (listed: Run) => (listed.json as { keys: { state: string }[] }).keys.map(({ state }) => state)
  const before = await asAdmin(['signing-keys', 'list'])
  expect(before).toMatchObject({ code: 0, json: { ok: true, rotateEveryDays: 90 } })
  expect(new Set(statesOf(before))).toEqual(new Set(['signing']))
  expect((await asAdmin(['signing-keys', 'rotate'])).code).toBe(64)
  expect(await asAdmin(['signing-keys', 'rotate', '--reason', 'a drill'])).toMatchObject({
    code: 0,
    json: { ok: true },
  })
  expect(statesOf(await asAdmin(['signing-keys', 'list'])).filter((state) => state === 'next')).toHaveLength(3)
})

describe('limits of an organization', () => {
  const setLimits = (...more: string[]) => asAdmin(['limits', 'set', '--org', orgId, '--confirm', 'alpha', ...more])

  test('are shown, set and taken back, with a reason', async () => {
    verifies('admin.organization-limits', 'admin.cli')
    const before = await asAdmin(['limits', 'show', '--org', orgId])
    expect(before).toMatchObject({ code: 0, json: { ok: true, orgId, own: {} } })
    const platform = (before.json as { platform: object }).platform

    const all = ['requests 20', 'bytes-per-second 1048576', 'person-percent 30', 'body-bytes 65536', 'tunnels 2']
    const options = [...all, 'storage-max-size 20Gi'].flatMap((option) => `--${option}`.split(' '))
    const own = {
      requests: 20,
      bytesPerSecond: 1_048_576,
      personPercent: 30,
      bodyBytes: 65_536,
      tunnels: 2,
      storageMaxSize: '20Gi',
    }
    const changed = await setLimits('--reason', 'they asked for it', ...options)
    expect(changed).toMatchObject({ code: 0, json: { ok: true, own, limits: own, platform } })
    expect((await asAdmin(['limits', 'show', '--org', orgId])).json).toEqual(changed.json)

    const fewer = await setLimits('--reason', 'a trial has ended', '--requests', '40', '--body-bytes', '17179869184')
    expect(fewer.json).toMatchObject({
      own: { requests: 40, bodyBytes: 16 * 2 ** 30 },
      limits: { ...platform, requests: 40, bodyBytes: 16 * 2 ** 30 },
    })
    expect((await setLimits('--reason', 'all has ended')).json).toMatchObject({ own: {}, limits: platform })
  })

  test('stay as they are after a wrong name, a missing reason or what is no limit', async () => {
    verifies('admin.cli')
    await setLimits('--reason', 'they asked for it', '--requests', '40')
    expect(await setLimits('--requests', '50')).toMatchObject({ code: 64 })
    expect(await setLimits('--reason', 'more', '--requests', 'many')).toMatchObject({ code: 64 })
    expect(await setLimits('--reason', 'more', '--tunnels', '9')).toMatchObject({
      code: 64,
      json: { error: { code: 'invalid_request', details: [{ path: 'own.tunnels' }] } },
    })
    const wrong = ['limits', 'set', '--org', orgId, '--confirm', 'beta', '--reason', 'more', '--requests', '50']
    expect(await asAdmin(wrong)).toMatchObject({ code: 1, json: { error: { code: 'confirmation_mismatch' } } })
    expect((await asAdmin(['limits', 'show', '--org', 'alpha'])).code).toBe(64)
    expect((await asAdmin(['limits', 'show', '--org', orgId])).json).toMatchObject({ own: { requests: 40 } })
  })
})

describe('image roll', () => {
  test('a dry run checks everything, needs no token and sends nothing', async () => {
    verifies('admin.cli')
    let requests = 0
    const server = createServer((_request, response) => {
      requests++
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const SVC_ADMIN_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const found = await run(roll('--dry-run'), { SVC_ADMIN_URL })
    expect(found).toMatchObject({ code: 0, json: { ok: true, dryRun: true, request: { method: 'POST' } } })
    const wrong = ['image', 'roll', '--org', orgId, '--image', image('2'), '--confirm', 'alpha', '--dry-run']
    expect(await run(wrong, { SVC_ADMIN_URL })).toMatchObject({
      code: 1,
      json: { error: { code: 'confirmation_mismatch' } },
    })
    const latest = ['image', 'roll', '--org', orgId, '--image', 'local/svcd:latest', '--confirm', orgId, '--dry-run']
    expect(await run(latest, { SVC_ADMIN_URL })).toMatchObject({
      code: 64,
      json: { error: { code: 'invalid_request', details: [{ path: 'image' }] } },
    })
    server.close()
    expect(requests).toBe(0)
  })

  test('with the token from the environment or a file descriptor; the same id answers the same', async () => {
    const first = await run(roll('--operation-id', 'cli-test-0001'), { MANAGED_DAEMON_ADMIN_TOKEN: TOKEN })
    expect(first).toMatchObject({ code: 0, json: { ok: true, orgId, observedState: 'running', image: image('2') } })
    const again = await run(roll('--operation-id', 'cli-test-0001', '--token-fd', '3'), {}, `${TOKEN}\n`)
    expect(again.stdout).toBe(first.stdout)
    expect(first.stderr).toBe('operationId cli-test-0001\n')
  })

  test('with the variable of the platform, which has two tokens during a change', async () => {
    const asked = roll('--operation-id', 'cli-test-0001')
    expect(await run(asked, { MANAGED_DAEMON_ADMIN_TOKEN: TOKENS })).toMatchObject({ code: 0, json: { ok: true } })
    expect(await run([...asked, '--token-fd', '3'], {}, `${TOKENS}\n`)).toMatchObject({ code: 0, json: { ok: true } })
  })

  test.each([
    ['as an option', ['--token', TOKEN]],
    ['as an option with =', [`--token=${TOKEN}`]],
    ['as the value of another option', ['--reason', TOKEN]],
    ['as a bearer header', ['--reason', `Bearer ${TOKEN}`]],
    ['that a change replaces', ['--reason', FORMER_TOKEN]],
    ['with the one that it replaces', ['--reason', TOKENS]],
  ])('a token %s is refused and not repeated', async (_name, args) => {
    verifies('security.token-cli')
    const found = await run(roll(...args), { MANAGED_DAEMON_ADMIN_TOKEN: TOKENS })
    expect(found.code).toBe(64)
    expect(found.stderr).toContain('refused as an argument')
    expect(found.stdout + found.stderr).not.toMatch(new RegExp(`${TOKEN}|${FORMER_TOKEN}`))
  })

  test('without a token, with a wrong one, without a control plane', async () => {
    expect((await run(roll())).code).toBe(78)
    expect(await run(roll(), { MANAGED_DAEMON_ADMIN_TOKEN: 'wrong' })).toMatchObject({
      code: 1,
      json: { error: { code: 'unauthenticated' } },
    })
    const nowhere = { MANAGED_DAEMON_ADMIN_TOKEN: TOKEN, SVC_ADMIN_URL: 'http://127.0.0.1:1' }
    expect(await run(roll('--operation-id', 'cli-test-0002'), nowhere)).toMatchObject({
      code: 75,
      json: { error: { code: 'operation_retryable' } },
    })
    expect((await run(roll(), { ...nowhere, SVC_ADMIN_URL: 'http://example.org' })).code).toBe(78)
  })
})

test('looks as a signed-in admin, by password or by the cookie of a session', async () => {
  expect(await asAdmin(['status'])).toMatchObject({ code: 0, json: { systemAdmin: true, operatorOrg } })
  const [name, value] = [...admin.cookies][0]!
  expect(await run(['status', '--session-fd', '3'], {}, `${name}=${value}`)).toMatchObject({ code: 0 })
  expect(await asAdmin(['inventory', '--search', 'alp'])).toMatchObject({ json: { total: 1, daemons: [{ orgId }] } })
  expect(await asAdmin(['inventory', '--limit', '0'])).toMatchObject({ code: 64 })
  expect(await asAdmin(['overview'])).toMatchObject({ json: { total: 1 } })
  expect(await asAdmin(['claims'])).toMatchObject({ json: { claims: [] } })
  const { json } = await asAdmin(['mutations', '--org', orgId])
  expect(json.mutations).toMatchObject([{ operationId: 'cli-test-0001', actor: { kind: 'token' } }])
  expect((await run(['status', '--email', EMAIL], { SVC_ADMIN_PASSWORD: 'wrong password' })).code).toBe(1)
  expect(
    (await asAdmin(['recover', '--org', orgId, '--action', 'image_roll', '--owner', 'x', '--confirm', 'alpha'])).code,
  ).toBe(64)
})

test('rotates a key, and starts a rollout with live progress', async () => {
  const rotate = ['key', 'rotate', '--org', orgId, '--confirm', 'alpha', '--reason', 'a test']
  expect(await asAdmin(rotate)).toMatchObject({ code: 0, json: { keyGeneration: expect.any(Number) } })

  const start = [
    'rollout',
    'start',
    '--image',
    image('3'),
    '--confirm',
    image('3'),
    '--reason',
    'a test',
    '--soak',
    '0',
    '--watch',
  ]
  const found = await asAdmin(start)
  expect(found).toMatchObject({ code: 0, json: { rollout: { state: 'succeeded', counts: { succeeded: 1 } } } })
  expect(found.stderr).toMatch(/running: wave 1 of 1/)
  expect(found.stderr).toMatch(/succeeded: wave 1 of 1, 1\/1 done/)

  await sql`insert into rollouts
    select copy.* from rollouts, jsonb_populate_record(rollouts, jsonb_build_object(
      'rollout_id', ${newId('rol_')}::text, 'operation_id', 'an-earlier-one', 'created_at', '2020-01-01T00:00:00Z')) copy
    `.execute(cp.db)
  const newest = await asAdmin(['rollout', 'list', '--limit', '1'])
  expect(newest).toMatchObject({ code: 0, json: { rollouts: [{ id: found.json.rollout.id }] } })
  const earlier = await asAdmin(['rollout', 'list', '--cursor', newest.json.nextCursor])
  expect(earlier.json.rollouts).toMatchObject([{ createdAt: '2020-01-01T00:00:00.000Z' }])
})

test('grows a volume, puts a daemon to sleep, and reinstalls none that is there', async () => {
  const confirmed = ['--org', orgId, '--confirm', 'alpha', '--reason', 'a test']
  expect(await asAdmin(['storage', 'grow', ...confirmed])).toMatchObject({ code: 64 })
  expect(await asAdmin(['storage', 'grow', ...confirmed, '--size', '10GB'])).toMatchObject({
    code: 64,
    json: { error: { code: 'invalid_request', details: [{ path: 'size' }] } },
  })
  const dry = await asAdmin(['storage', 'grow', ...confirmed, '--size', '9Gi', '--dry-run'])
  expect(dry).toMatchObject({ code: 0, json: { dryRun: true, request: { body: { size: '9Gi' } } } })
  expect(await asAdmin(['storage', 'grow', ...confirmed, '--size', '9Gi'])).toMatchObject({
    code: 0,
    json: { size: '9Gi' },
  })
  expect(await asAdmin(['sleep', ...confirmed])).toMatchObject({ code: 0, json: { observedState: 'sleeping' } })
  expect(await asAdmin(['reinstall', ...confirmed])).toMatchObject({
    code: 1,
    json: { error: { code: 'operation_failed', details: { reason: 'ResourcePresent' } } },
  })
})

test('verifies the audit here and elsewhere', async () => {
  expect(await asAdmin(['audit', 'verify'])).toMatchObject({ code: 0, json: { valid: true } })
  const exported = await asAdmin(['audit', 'export', '--chain', orgId])
  expect(exported.code).toBe(0)
  const file = join(tmpdir(), `${orgId}.ndjson`)
  try {
    await writeFile(file, exported.stdout)
    expect(await run(['audit', 'verify', '--file', file])).toMatchObject({ code: 0, json: { chain: orgId } })
    await writeFile(file, (await readFile(file, 'utf8')).replace('operation.executing', 'operation.executinG'))
    expect(await run(['audit', 'verify', '--file', file])).toMatchObject({
      code: 1,
      json: { error: { code: 'audit_broken', details: { broken: { problem: 'hash_differs' } } } },
    })
  } finally {
    await rm(file, { force: true })
  }
})

test('blocks, allows and resets programs', async () => {
  verifies('admin.cli', 'agents.platform-rules')
  const key = 'https://agent.example'
  expect((await asAdmin(['agents', 'block', '--key', key])).json).toMatchObject({
    rules: [{ key, verdict: 'blocked' }],
  })
  expect((await asAdmin(['agents', 'allow', '--key', key])).json).toMatchObject({
    rules: [{ key, verdict: 'allowed' }],
  })
  expect((await asAdmin(['agents', 'reset', '--key', key])).json).toMatchObject({ rules: [] })
  expect((await asAdmin(['agents', 'list'])).json).toMatchObject({ ok: true, rules: [] })
  expect((await asAdmin(['agents', 'block', '--key', 'http://plain.example'])).code).toBe(64)
  const { entries } = (await admin.get('/api/admin/audit?chain=platform&limit=10')).body as {
    entries: { record: { event: string; outcome: string } }[]
  }
  const rules = entries.filter(({ record }) => record.event === 'agents.rule')
  expect(rules.map(({ record }) => record.outcome)).toEqual(['none', 'allowed', 'blocked'])
})

/** The environment of a control plane, for commands that read its database. */
const environmentOn = (databaseUrl: Secret) => ({
  DATABASE_URL: databaseUrl.reveal(),
  BASE_URL: 'http://localhost:7380',
  AUTH_SECRET: 'a-secret-of-the-tests-that-is-long-enough',
})

describe('bootstrap', () => {
  test('makes a link, or the admin of a confirmed address, once', async () => {
    verifies('security.setup-link')
    const database = await createTestDatabase()
    const fresh = await startControlPlane({ database })
    const env = { ...environmentOn(database.url), OPERATOR_ORG: operatorOrg }
    try {
      const linked = await run(['bootstrap'], env)
      expect(linked).toMatchObject({ code: 0, json: { operatorOrg, setupLink: expect.stringContaining('/setup#') } })
      expect(await run(['bootstrap', '--email', 'nobody@example.org'], env)).toMatchObject({ code: 1 })

      const person = fresh.person()
      await person.signUp({ email: 'first@example.org' })
      await fresh.unconfirm(person)
      expect(await run(['bootstrap', '--email', 'first@example.org'], env)).toMatchObject({
        code: 1,
        json: { error: { code: 'not_found' } },
      })
      await fresh.db.updateTable('user').set({ emailVerified: true }).where('email', '=', 'first@example.org').execute()
      expect(await run(['bootstrap', '--email', 'First@Example.org'], env)).toMatchObject({
        code: 0,
        json: { operatorOrg, admin: { userId: person.id } },
      })
      expect(await run(['bootstrap'], env)).toMatchObject({ code: 1, json: { error: { code: 'forbidden' } } })
      expect((await run(['bootstrap'], { ...env, DATABASE_URL: '' })).code).toBe(78)
    } finally {
      await fresh.stop()
      await database.drop()
    }
  })
})

test('prints the mails of a platform without a mail server, the newest first', async () => {
  const database = await createTestDatabase()
  const fresh = await startControlPlane({ database })
  const env = environmentOn(database.appUrl)
  try {
    expect(await run(['outbox'], env)).toMatchObject({ code: 0, json: { ok: true, mails: [] } })
    for (const email of ['first@example.org', 'second@example.org']) await fresh.person().signUp({ email })
    const { json } = await run(['outbox'], env)
    const to = (json as { mails: { to: string }[] }).mails.map((mail) => mail.to)
    expect([...new Set(to)]).toEqual(['second@example.org', 'first@example.org'])
    expect(json).toMatchObject({
      mails: expect.arrayContaining([
        {
          to: 'second@example.org',
          template: 'confirm-sign-up',
          link: expect.stringContaining('/sign-up/confirm'),
          subject: expect.any(String),
          sentAt: expect.any(String),
        },
      ]),
    })
    expect(json).not.toHaveProperty('next')
    expect((await run(['outbox'], { ...env, SMTP_URL: 'smtp://127.0.0.1:25' })).json).toHaveProperty('next')
    expect((await run(['outbox'], { ...env, DATABASE_URL: '' })).code).toBe(78)
  } finally {
    await fresh.stop()
    await database.drop()
  }
})

test('helps with every command and refuses what it does not know', async () => {
  const all = await run(['--help'])
  expect(all).toMatchObject({ code: 0 })
  const commands = [...all.stdout.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}[A-Z]/gm)].map(([, words]) => words!)
  expect(commands.length).toBeGreaterThan(18)
  for (const words of ['image roll', 'recover']) {
    const help = await run([...words.split(' '), '--help'])
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining(`svc-admin ${words}:`) })
    expect(help.stdout).toContain('Exit codes')
  }
  expect((await run(['nonsense'])).code).toBe(64)
  expect((await run(['status', '--nonsense'])).code).toBe(64)
})
