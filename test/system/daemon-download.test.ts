import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { daemonCommands } from '../../control-plane/web/daemons/daemon-commands.ts'
import { readConfig } from '../../daemon/src/config.ts'
import { verifies } from '../requirements.ts'
import { startPlatform, type Platform } from '../support/platform.ts'
import { createPerson, type Person } from '../support/person.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

let platform: Platform
let ada: Person
let created: { organization: { id: string }; apiKey: string; relayUrl: string }
let downloads: Parameters<typeof daemonCommands>[0]['downloads']
let machine: string
const running: ChildProcess[] = []

beforeAll(async () => {
  platform = await startPlatform()
  ada = createPerson(platform.origin, platform.mailbox)
  await ada.signUp({ email: 'ada@example.org' })
  created = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body
  downloads = (await ada.get('/api/downloads')).body
  machine = await mkdtemp(join(tmpdir(), 'fresh-machine-'))
})
afterAll(async () => {
  for (const child of running) await stop(child)
  await platform?.remove()
  await removeFolder(machine)
})

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = once(child, 'exit')
  process.kill(-child.pid!, 'SIGTERM') // the shell and its children
  await over
}

/** A shell of a person who has Node and npm but none of our programs. */
function shell(home: string, text: string): ChildProcess {
  const env = {
    HOME: home,
    PATH: [join(home, 'npm/bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    npm_config_prefix: join(home, 'npm'),
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_update_notifier: 'false',
    SVC_PORT: '0',
  }
  return spawn('/bin/sh', ['-c', text], { cwd: home, env, stdio: 'pipe', detached: true })
}

async function runShell(home: string, text: string, stdin = '') {
  const child = shell(home, text)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (more) => (output += more))
  child.stdin?.end(stdin)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

/** Undefined when the request failed. */
const connected = async (): Promise<boolean | undefined> =>
  (await ada.get(`/api/orgs/${created.organization.id}/daemon/status`)).body.daemon?.connected

async function connects(home: string, text: string) {
  const child = shell(home, text)
  running.push(child)
  await until('the daemon is connected', async () => (await connected()) === true)
  await stop(child)
  await until('the daemon is gone', async () => (await connected()) === false)
}

/** A key belongs to the first machine that connects with it, so the next machine gets a new one. */
async function newKey(): Promise<string> {
  const answer = await ada.post(`/api/orgs/${created.organization.id}/api-key/rotate`, { immediate: true })
  return answer.body.apiKey
}

const ways = () => daemonCommands({ relayUrl: created.relayUrl, downloads })
const blocksOf = (id: string) =>
  ways()
    .find((way) => way.id === id)
    ?.blocks.map(({ text }) => text) ?? []

test('the packed daemon is public, immutable and what its SHA-256 says', async () => {
  verifies('download.checksummed')
  for (const { url, sha256, bytes } of [downloads.daemon!, downloads.chart!]) {
    const answer = await fetch(url.replace('localhost', '127.0.0.1'))
    const body = Buffer.from(await answer.arrayBuffer())
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-type')).toBe('application/gzip')
    expect(createHash('sha256').update(body).digest('hex')).toBe(sha256)
    expect(body.length).toBe(bytes)
    expect(url).toContain(sha256.slice(0, 12))
  }
  expect((await createPerson(platform.origin).get('/api/downloads')).status).toBe(401)
  expect((await ada.get('/download/index.json')).status).toBe(404)
})

describe('on a machine that has nothing of ours', () => {
  test('the commands for npm install, ask for the key and start a daemon that connects', async () => {
    verifies('web.commands-run', 'login.key-file')
    const home = join(machine, 'npm user')
    await mkdir(join(home, 'npm'), { recursive: true })
    const [install = '', keep = '', start = ''] = blocksOf('npm')
    expect(await runShell(home, install)).toMatchObject({ code: 0 })

    const refused = await runShell(home, keep, 'not a key\n')
    expect(refused).toMatchObject({ code: 64 })
    expect(refused.output).toContain('Nothing was changed')

    const kept = await runShell(home, keep, `${created.apiKey}\n`)
    expect(kept.code).toBe(0)
    const file = join(home, '.svc/daemon/relay-key')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toBe(`${created.apiKey}\n`)
    expect(kept.output).not.toContain(created.apiKey)
    expect(await connected(), 'the kept key alone dials nothing').toBe(false)

    const printed = kept.output.split('\n').find((line) => line.includes('SVC_RELAY_URL=')) ?? ''
    expect(printed).toMatch(/^SVC_RELAY_URL=\S+ SVC_RELAY_TOKEN_FILE='[^']+' svcd$/)
    await connects(home, printed)
    await connects(home, start)
  })

  test('a changed file is not installed', async () => {
    const home = join(machine, 'careful')
    await mkdir(join(home, 'npm'), { recursive: true })
    const [install = ''] = blocksOf('npm')
    const other = install.replace(downloads.daemon!.sha256, '0'.repeat(64))
    expect((await runShell(home, other)).code).not.toBe(0)
    await expect(stat(join(home, 'npm/bin/svcd'))).rejects.toThrow('ENOENT')
  })

  test('the commands for npx do the same without an installation', async () => {
    verifies('web.commands-run')
    const home = join(machine, 'npx')
    await mkdir(join(home, 'npm/lib'), { recursive: true })
    const [keep = '', start = ''] = blocksOf('npx')
    const kept = await runShell(home, keep, await newKey())
    expect(kept).toMatchObject({ code: 0 })
    await connects(home, kept.output.split('\n').find((line) => line.includes('SVC_RELAY_URL=')) ?? '')
    await connects(home, start)
  })

  test('the container keeps the key by the shown command and gets variables that the daemon takes', async () => {
    verifies('web.commands-run')
    const home = join(machine, 'docker')
    await mkdir(home)
    const [keep = '', start = ''] = blocksOf('docker')
    expect(await runShell(home, keep, `${await newKey()}\n`)).toMatchObject({ code: 0 })
    expect((await stat(join(home, '.svc/daemon/relay-key'))).mode & 0o777).toBe(0o600)

    const environment = Object.fromEntries(
      [...start.matchAll(/-e (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    expect(readConfig(environment)).toMatchObject({
      home: '/data',
      listen: 'tunnel-only',
      relay: { url: created.relayUrl, key: { kind: 'file', path: '/data/daemon/relay-key' } },
    })
    expect(start).toContain('-v "$HOME/.svc:/data"')
    const [, inContainer = ''] = /node:24 (.*)$/.exec(start) ?? []
    const variables = { ...environment, HOME: home, SVC_HOME: join(home, '.svc') }
    variables['SVC_RELAY_TOKEN_FILE'] = join(home, '.svc/daemon/relay-key')
    const set = Object.entries(variables).map(([name, value]) => `${name}='${value}'`)
    await connects(home, `${set.join(' ')} ${inContainer}`)
  })
})

test('a start that is stopped at the prompt or has no address says so and keeps nothing', async () => {
  verifies('login.key-file')
  const home = join(machine, 'wrong')
  await mkdir(home)
  const program = join(import.meta.dirname, '../../daemon/bin/svcd.js')
  expect(await runShell(home, `node '${program}' login`)).toMatchObject({ code: 64 })
  expect(await runShell(home, `node '${program}' login http://svc.example/t/org_a`)).toMatchObject({ code: 78 })
  await expect(stat(join(home, '.svc'))).rejects.toThrow('ENOENT')
})
