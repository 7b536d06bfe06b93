import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, statfs, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DaemonStatus, type ChildMessage } from '@svc/shared/wire/daemon/daemon-status.ts'
import { verifies } from '../requirements.ts'
import { freePort } from '../support/free-port.ts'
import { call, newHome, runSvcd, startSvcd, type Svcd } from '../support/svcd.ts'
import { removeFolder } from '../support/remove-folder.ts'

const program = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
const RELAY = 'http://localhost:1/t/org_aaaaaaaaaaaaaaaaaaaaaaaa'
const RESERVE = 2 ** 32
let home: string
let daemon: Svcd | undefined

beforeEach(async () => {
  home = await newHome()
})
afterEach(async () => {
  await daemon?.remove()
  daemon = undefined
  await removeFolder(home)
})

const lines = (text: string) => text.trim().split('\n')

describe('a start that fails ends with one clear line', () => {
  test.each([
    ['only SVC_RELAY_URL', { SVC_RELAY_URL: RELAY }, 78, /SVC_RELAY_TOKEN: is missing/],
    ['only SVC_RELAY_TOKEN', { SVC_RELAY_TOKEN: 'svc_dmn_x' }, 78, /SVC_RELAY_URL: is missing/],
    ['several problems at once', { SVC_PORT: '70000', SVC_LOG_LEVEL: 'loud' }, 78, /SVC_PORT.*SVC_LOG_LEVEL/],
    ['another machine could reach it', { SVC_HOST: '0.0.0.0' }, 78, /SVC_ALLOW_NON_LOOPBACK=1/],
  ])('%s', async (_name, environment, code, message) => {
    verifies('config.relay-pair', 'daemon.exit-codes', 'daemon.non-loopback')
    const ended = await runSvcd({ SVC_HOME: home, ...environment })
    expect(ended.code).toBe(code)
    expect(lines(ended.stderr)).toHaveLength(1)
    expect(ended.stderr).toMatch(message)
  })

  test('a home that cannot be written: 78', async () => {
    await writeFile(join(home, 'file'), '')
    const ended = await runSvcd({ SVC_HOME: join(home, 'file', 'home') })
    expect(ended.code).toBe(78)
    expect(lines(ended.stderr)).toEqual([expect.stringMatching(/SVC_HOME .* cannot be written/)])
  })

  test('a port in use: 75', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const ended = await runSvcd({ SVC_HOME: home, SVC_PORT: String(port) })
    other.close()
    expect(ended.code).toBe(75)
    expect(lines(ended.stderr)).toEqual([expect.stringContaining(`port ${port} on 127.0.0.1 is in use`)])
    expect(await readdir(join(home, 'daemon'))).not.toContain('lock')
  })

  test('a second daemon on the home: 75, and the first goes on', async () => {
    verifies('daemon.one-per-home')
    daemon = await startSvcd({ home })
    const ended = await runSvcd({ SVC_HOME: home, SVC_PORT: '0' })
    expect(ended.code).toBe(75)
    expect(lines(ended.stderr)).toEqual([expect.stringContaining(`process ${daemon.process.pid}`)])
    expect((await call(daemon, '/api/health')).status).toBe(200)
  })

  test('two vaults of one identity: 78, naming both', async () => {
    verifies('vault.duplicate-identity')
    daemon = await startSvcd({ home })
    await daemon.stop()
    await cp(join(home, 'vaults/demo-vault'), join(home, 'vaults/copy'), { recursive: true })
    const ended = await runSvcd({ SVC_HOME: home, SVC_PORT: '0' })
    expect(ended.code).toBe(78)
    expect(ended.stderr).toContain(join(home, 'vaults/demo-vault'))
    expect(ended.stderr).toContain(join(home, 'vaults/copy'))
  })

  test('an unknown argument: 64; help and version: 0', async () => {
    expect((await runSvcd({}, ['--bogus'])).code).toBe(64)
    const help = await runSvcd({}, ['--help'])
    expect(help.code).toBe(0)
    expect(help.stdout).toContain('SVC_RELAY_TOKEN_FILE')
    expect((await runSvcd({}, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('the lock', () => {
  test('of a killed daemon is taken over', async () => {
    daemon = await startSvcd({ home })
    await daemon.kill()
    expect(await readdir(join(home, 'daemon'))).toContain('lock')
    await daemon.restart()
    expect((await call(daemon, '/api/health')).status).toBe(200)
    expect((await readdir(join(home, 'daemon'))).filter((name) => name.startsWith('lock'))).toEqual(['lock'])
  })

  test('of a recycled process number is not believed', async () => {
    await mkdir(join(home, 'daemon'), { recursive: true })
    await writeFile(join(home, 'daemon/lock'), JSON.stringify({ pid: process.pid, startedAt: 'another time', id: 'x' }))
    daemon = await startSvcd({ home })
    expect((await call(daemon, '/api/health')).status).toBe(200)
  })

  test('goes to one of several that start together after a crash', async () => {
    daemon = await startSvcd({ home })
    await daemon.kill()
    const ends: (number | null)[] = []
    const started = Array.from({ length: 4 }, async () => {
      const one = await startSvcd({ home }).catch(() => undefined)
      if (!one) ends.push(75)
      return one
    })
    const running = (await Promise.all(started)).filter((one) => one !== undefined)
    expect([running.length, ends.length]).toEqual([1, 3])
    for (const one of running) await one.stop()
  })
})

describe('a first start', () => {
  test('makes the demo vault, says where it is and writes its status', async () => {
    verifies(
      'vault.demo',
      'vault.layout',
      'vault.id-is-directory',
      'config.startup-line',
      'daemon.status-file',
      'health.daemon',
    )
    verifies('service.local-only', 'relay.status', 'auth.local-unauthenticated')
    daemon = await startSvcd({ home })
    const statusFile = join(home, 'daemon/status.json')
    expect(daemon.output()).toMatch(new RegExp(`listening at ${daemon.url}, home ${home}, status file ${statusFile}`))

    const vault = join(home, 'vaults/demo-vault')
    expect((await readdir(vault)).sort()).toEqual(['.svc', 'README.md', 'notes'])
    expect((await readdir(join(vault, '.svc'))).sort()).toEqual(['folders.yml', 'vault.json'])
    expect((await readdir(join(vault, 'notes'))).length).toBeGreaterThan(0)

    const status = JSON.parse(await readFile(statusFile, 'utf8')) as Record<string, unknown>
    expect(status).toMatchObject({ service: 'svcd', pid: daemon.process.pid, address: daemon.url, home })
    expect((await call(daemon, '/api/health')).body).toEqual({
      ok: true,
      service: 'svcd',
      status: { serviceName: 'svcd', svcHome: home, statusFile },
    })
    expect((await call(daemon, '/api/relay/status')).body).toEqual({
      ok: true,
      relay: { configured: false, started: false, controlConnected: false, reconnectScheduled: false },
    })
    expect(await daemon.stop()).toBe(0)
    expect(await readdir(join(home, 'daemon'))).not.toContain('lock')
  })

  test('adopts a directory and adds its identity alone', async () => {
    verifies('vault.child-directories', 'vault.adopted')
    await mkdir(join(home, 'vaults/My Notes'), { recursive: true })
    await writeFile(join(home, 'vaults/My Notes/a.md'), '# A\n')
    daemon = await startSvcd({ home })
    expect((await call(daemon, '/api/vaults')).body).toMatchObject({
      vaults: [{ id: 'My Notes', displayName: 'My Notes' }],
    })
    expect((await readdir(join(home, 'vaults/My Notes'))).sort()).toEqual(['.svc', 'a.md'])
    expect(await readdir(join(home, 'vaults/My Notes/.svc'))).toEqual(['vault.json'])
    expect((await call(daemon, '/api/vaults/My%20Notes/notes/a.md')).body).toMatchObject({ note: { title: 'A' } })
  })
})

describe('a daemon that is run by others', () => {
  test('answers its parent, and ends when the parent is gone', async () => {
    verifies('daemon.tunnel-only')
    daemon = await startSvcd({ home, env: { SVC_LISTEN: 'tunnel-only' } })
    expect(daemon.url).toBe('')
    const child = daemon.process
    const answered = async (question: unknown) => {
      const answer = once(child, 'message')
      child.send(question as never)
      return ((await answer) as [ChildMessage])[0]
    }
    expect(await answered({ type: 'status', id: 7 })).toMatchObject({
      type: 'status',
      id: 7,
      status: { relay: { connected: false }, storage: { usedBytes: expect.any(Number) as number } },
    })
    expect(await answered({ type: 'flush', id: 8 })).toMatchObject({ type: 'flushed', id: 8 })
    const ended = once(child, 'exit')
    child.disconnect()
    expect(await ended).toEqual([0, null])
  })

  test.each([0, 40, 120, 250])('ends when its parent went %i ms into the start', async (ms) => {
    const env = { PATH: process.env.PATH, SVC_HOME: home, SVC_LISTEN: 'tunnel-only', SVC_LOG_LEVEL: 'error' }
    const child = fork(program, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const ended = once(child, 'exit')
    await new Promise((resolve) => setTimeout(resolve, ms))
    child.disconnect()
    expect(await ended).toEqual([0, null])
  })

  test('tells the status listener nothing without the token beside its key', async () => {
    verifies('daemon.status-token')
    const key = join(home, 'key')
    await mkdir(key)
    await writeFile(join(key, 'token'), 'svc_dmn_x')
    await writeFile(join(key, 'generation'), '3')
    await writeFile(join(key, 'probe-token'), 'probe')
    const port = await freePort()

    daemon = await startSvcd({
      home,
      env: {
        SVC_LISTEN: 'tunnel-only',
        SVC_PROBE_PORT: String(port),
        SVC_RELAY_URL: RELAY,
        SVC_RELAY_TOKEN_FILE: key,
        SVC_RESERVED_BYTES: String(RESERVE),
      },
    })
    const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init)
    expect(await (await ask('/health')).json()).toEqual({ ok: true })
    expect((await ask('/status')).status).toBe(401)
    expect((await ask('/status', { headers: { authorization: 'Bearer svc_dmn_x' } })).status).toBe(401)
    const headers = { authorization: 'Bearer probe' }
    const status = DaemonStatus.parse(await (await ask('/status', { headers })).json())
    expect(status.relay.connected).toBe(false)
    // Reserved space does not count as free. Other processes use the disk meanwhile, so expect at least half of the
    // reserve.
    const { bavail, bsize } = await statfs(home)
    expect(bavail * bsize - status.storage.freeBytes).toBeGreaterThan(Math.min(bavail * bsize, RESERVE) / 2)
    expect(await (await ask('/flush', { method: 'POST', headers })).json()).toEqual({
      durableAsOf: expect.any(String) as string,
    })
    expect((await ask('/api/vaults', { headers })).status).toBe(404)
  })
})

test('an old Node is told which one is needed', async () => {
  const launcher = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
  const source = `Object.defineProperty(process.versions, 'node', { value: '20.1.0' }); await import(${JSON.stringify(launcher)})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'ignore', 'pipe'] })
  let error = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
  const [code] = (await once(child, 'close')) as [number]
  expect([code, error]).toEqual([78, 'svcd: needs Node 24 or newer, this is 20.1.0\n'])
})

test('a user without a home folder is told to set SVC_HOME', async () => {
  verifies('config.no-home')
  const launcher = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
  const user = ['--user', '--map-user=12345', '--', process.execPath, launcher] // a user id without a name
  const child = spawn('unshare', user, { env: { PATH: process.env.PATH }, stdio: ['ignore', 'ignore', 'pipe'] })
  let error = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
  const [code] = (await once(child, 'close')) as [number]
  expect([code, error]).toEqual([78, expect.stringMatching(/^svcd: configuration error: SVC_HOME: .*\n$/)])
})
