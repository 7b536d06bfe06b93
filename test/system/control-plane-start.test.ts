import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { freePort } from '../support/free-port.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const main = fileURLToPath(new URL('../../control-plane/src/main.ts', import.meta.url))
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function environment(change: Record<string, string>) {
  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const [PORT, GATEWAY_PORT, DIAL_IN_PORT, INTERNAL_PORT] = ports.map(String) as [string, string, string, string]
  return {
    BASE_URL: `http://localhost:${PORT}`,
    AUTH_SECRET: 'a-secret-of-the-tests-that-is-long-enough',
    MANAGED_DAEMON_STORE: 'none',
    PORT,
    GATEWAY_PORT,
    DIAL_IN_PORT,
    INTERNAL_PORT,
    ...change,
  }
}

function run(variables: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { env: programEnvironment(variables) })
  const said = { out: '', error: '' }
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (said.out += piece))
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (said.error += piece))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  cleanups.push(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, said, ended }
}

const madeDatabase = async () => {
  const made = await createTestDatabase()
  cleanups.push(made.drop)
  return made.url.reveal()
}
const withChange = (url: string, change: (url: URL) => void) => {
  const changed = new URL(url)
  change(changed)
  return changed.toString()
}
/** The last log line, which must not contain the password. */
const complaint = ({ error }: { error: string }) => {
  expect(error).not.toContain('a-password')
  return error.trim().split('\n')
}

test('every command ends with 75 and one line of advice when the database does not respond', async () => {
  verifies('cp.unreachable-stores')
  const port = await freePort()
  const variables = await environment({ DATABASE_URL: `postgres://svc:a-password@127.0.0.1:${port}/svc` })
  const runs = [[], ['migrate'], ['roles']].map((args) => run(variables, ...args))
  for (const { said, ended } of runs) {
    expect(await ended).toBe(75)
    expect(complaint(said)).toEqual([
      expect.stringMatching(
        `^The control plane cannot start: DATABASE_URL: postgres://127.0.0.1:${port}/svc cannot be reached`,
      ),
    ])
  }
})

test('a database that starts during the wait is used', async () => {
  verifies('cp.unreachable-stores')
  const url = await madeDatabase()
  const port = await freePort()
  const late = withChange(url, (address) => {
    address.host = `127.0.0.1:${port}`
    address.search = ''
  })
  const variables = await environment({ DATABASE_URL: late })

  // Counts attempts instead of measuring time: the proxy cuts the first attempt and lets all others through.
  let attempts = 0
  const proxy = createServer((taken) => {
    attempts += 1
    if (attempts === 1) return void taken.destroy()
    const made = connect(join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432'))
    taken.on('error', () => made.destroy()).pipe(made)
    made.on('error', () => taken.destroy()).pipe(taken)
  })
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  cleanups.push(() => proxy.close())
  const started = run(variables)
  await until('it is ready', async () => {
    const answer = await fetch(`http://127.0.0.1:${variables.INTERNAL_PORT}/ready`).catch(() => undefined)
    return answer?.status === 200
  })
  expect(started.said.out).toContain('not reachable yet')
  started.child.kill('SIGTERM')
  // What it says is shown when it ends with another code.
  expect([await started.ended, started.said.error]).toEqual([0, ''])
})

test.each(['internal', 'gateway', 'dial-in'])('a stop when it just listens (%s) ends with 0', async (listener) => {
  const { child, said, ended } = run(await environment({ DATABASE_URL: await madeDatabase() }))
  child.stdout.on('data', (piece: string) => {
    if (piece.includes(`"listener":"${listener}"`)) child.kill('SIGTERM')
  })
  expect([await ended, said.error]).toEqual([0, ''])
  expect(said.out).toContain('"signal":"SIGTERM"')
})

test('a name of a database that is not there ends with 78', async () => {
  verifies('cp.unreachable-stores')
  const DATABASE_URL = withChange(await madeDatabase(), (url) => (url.pathname = '/no_such_database'))
  const { said, ended } = run(await environment({ DATABASE_URL }))
  expect(await ended).toBe(78)
  expect(complaint(said)).toEqual([expect.stringMatching(/^DATABASE_URL: .*no_such_database.*Correct the address\.$/)])
})

test('Redis that is away ends with 75, and one that refuses the password with 78', async () => {
  verifies('cp.unreachable-stores')
  const DATABASE_URL = await madeDatabase()
  const away = run(await environment({ DATABASE_URL, REDIS_URL: `redis://127.0.0.1:${await freePort()}` }))
  const redis = await startRedis()
  cleanups.push(redis.stop)
  const refused = run(await environment({ DATABASE_URL, REDIS_URL: redis.url.replace('//', '//somebody:a-password@') }))
  expect([await refused.ended, complaint(refused.said)]).toEqual([
    78,
    [expect.stringMatching(/^REDIS_URL: .*WRONGPASS/)],
  ])
  expect(await away.ended).toBe(75)
  expect(complaint(away.said)).toEqual([
    expect.stringMatching(/REDIS_URL: .* cannot be reached: .*ECONNREFUSED.*Start it/),
  ])
  const [first] = away.said.out.split('\n').filter((line) => line.includes('not reachable yet'))
  expect(first).toContain('ECONNREFUSED')
})
