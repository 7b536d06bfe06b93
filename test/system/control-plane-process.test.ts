import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { freePort } from '../support/free-port.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { sendRaw } from '../support/person.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { until } from '../support/until.ts'

const main = fileURLToPath(new URL('../../control-plane/src/main.ts', import.meta.url))
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const database = async (make: () => Promise<TestDatabase>) => {
  const made = await make()
  cleanups.push(made.drop)
  return made
}
const environmentFor = async ({ url }: TestDatabase) => {
  const [api, gateway, dialIn, internal] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  return {
    BASE_URL: `http://localhost:${api}`,
    DATABASE_URL: url.reveal(),
    AUTH_SECRET: 'a-secret-of-the-tests-that-is-long-enough',
    MANAGED_DAEMON_STORE: 'none',
    PORT: String(api),
    GATEWAY_PORT: String(gateway),
    DIAL_IN_PORT: String(dialIn),
    INTERNAL_PORT: String(internal),
  }
}
type Run = { child: ChildProcess; output(): string; ended: Promise<number | null> }
const run = (environment: Record<string, string>, ...args: string[]): Run => {
  const child = spawn(process.execPath, [main, ...args], { env: programEnvironment(environment) })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece) => (text += piece))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  cleanups.push(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, output: () => text, ended }
}
const get = (port: string, path: string, host?: string) =>
  sendRaw(`http://127.0.0.1:${port}`, { method: 'GET', path, headers: host === undefined ? {} : { host } })

describe('the process', () => {
  test('explains itself, and names what is wrong with its arguments and environment', async () => {
    const help = run({}, '--help')
    expect([await help.ended, help.output().includes('DATABASE_URL')]).toEqual([0, true])
    const usage = run({}, 'dance')
    expect([await usage.ended, usage.output()]).toEqual([64, expect.stringContaining('dance')])
    const empty = run({})
    expect(await empty.ended).toBe(78)
    for (const name of ['BASE_URL', 'DATABASE_URL', 'AUTH_SECRET']) expect(empty.output()).toContain(name)
  })

  test('migrates an empty database, then has nothing to do', async () => {
    verifies('cp.migrations')
    const environment = await environmentFor(await database(createEmptyDatabase))
    const first = run(environment, 'migrate')
    expect([await first.ended, first.output()]).toEqual([0, expect.stringContaining('0001-accounts')])
    const second = run(environment, 'migrate')
    expect([await second.ended, second.output()]).toEqual([0, expect.stringContaining('up to date')])
  })

  test('serves on four listeners, refuses a second replica without Redis, and stops when asked', async () => {
    verifies('security.origins', 'cp.one-replica', 'relay.dial-in-only', 'security.listeners')
    const made = await database(createTestDatabase)
    const environment = await environmentFor(made)
    const first = run(environment)
    await until('it is ready', async () => {
      const answer = await get(environment.INTERNAL_PORT, '/ready').catch(() => undefined)
      return answer?.status === 200
    })
    expect((await get(environment.PORT, '/api/health')).body).toMatchObject({ ok: true, environment: 'production' })
    expect((await get(environment.PORT, '/metrics')).status).toBe(404)
    expect((await get(environment.INTERNAL_PORT, '/metrics')).text).toContain('svc_http_request_seconds')
    expect((await get(environment.INTERNAL_PORT, '/api/health')).status).toBe(404)
    expect((await get(environment.GATEWAY_PORT, '/', 'unknown.localhost')).status).toBe(421)
    expect((await get(environment.DIAL_IN_PORT, `/t/org_${'a'.repeat(24)}`)).status).toBe(401)
    expect((await get(environment.PORT, `/t/org_${'a'.repeat(24)}`)).status).toBe(404)

    const second = run({ ...(await environmentFor(made)), BASE_URL: environment.BASE_URL })
    expect([await second.ended, second.output()]).toEqual([75, expect.stringContaining('REDIS_URL')])

    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    const third = run(environment)
    await until('another one takes over', async () => {
      const answer = await get(environment.INTERNAL_PORT, '/ready').catch(() => undefined)
      return answer?.status === 200
    })
    third.child.kill('SIGTERM')
    expect(await third.ended).toBe(0)
  })

  test('waits, not ready, for a schema that was not migrated, and says a taken port in one line', async () => {
    verifies('cp.ready-schema')
    const environment = await environmentFor(await database(createEmptyDatabase))
    const unmigrated = run(environment)
    await until('it answers', async () => {
      const answer = await get(environment.INTERNAL_PORT, '/ready').catch(() => undefined)
      return answer?.status === 503
    })
    expect(await run(environment, 'migrate').ended).toBe(0)
    await until('it is ready without a restart', async () => {
      return (await get(environment.INTERNAL_PORT, '/ready')).status === 200
    })
    unmigrated.child.kill('SIGKILL')
    await unmigrated.ended

    const holder = createServer().listen(Number(environment.PORT), '127.0.0.1')
    await once(holder, 'listening')
    cleanups.push(async () => holder.close())
    const migrated = await environmentFor(await database(createTestDatabase))
    const refused = run({ ...migrated, PORT: environment.PORT })
    expect([await refused.ended, refused.output()]).toEqual([75, expect.stringContaining('EADDRINUSE')])
  })
})
