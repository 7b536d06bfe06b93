import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { clientIds } from '../../daemon/src/mcp/agent-clients.ts'
import { verifies } from '../requirements.ts'
import { newHome, runSvcd, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

const script = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
const PATH = process.env.PATH ?? ''
type Printed = { id: string; file: string; kind: string; text: string; container: string }
type Server = { command: string; args: string[]; env?: Record<string, string> }

/** Connects as a client that starts the server as a program. */
async function connect({ command, args, env }: Server): Promise<Client> {
  const client = new Client({ name: 'stdio-agent', version: '1' })
  await client.connect(new StdioClientTransport({ command, args, env: { PATH, ...env }, stderr: 'ignore' }))
  return client
}
const vaultsOf = async (client: Client) => (await client.callTool({ name: 'list_vaults' })).structuredContent

describe('the bridge', () => {
  let home: string
  beforeAll(async () => void (home = await newHome()))
  afterAll(() => removeFolder(home))
  const server = () => ({ command: process.execPath, args: [script, 'mcp'], env: { SVC_HOME: home, SVC_PORT: '0' } })
  const daemonPid = async () =>
    (JSON.parse(await readFile(join(home, 'daemon/status.json'), 'utf8')) as { pid: number }).pid

  test('starts a daemon where none runs, finds it again, and carries on when it was restarted', async () => {
    verifies('mcp.stdio')
    const first = await connect(server())
    const second = await connect(server())
    const expected = { vaults: [{ id: 'demo-vault', displayName: 'Demo vault' }] }
    expect(await vaultsOf(first)).toEqual(expected)
    expect(await vaultsOf(second)).toEqual(expected)
    expect(first.getServerVersion()).toMatchObject({ name: 'svc' })

    const pid = await daemonPid()
    process.kill(pid, 'SIGKILL')
    await until('the daemon is gone', () => !isAlive(pid))
    expect(await vaultsOf(first)).toEqual(expected)
    expect(await vaultsOf(second)).toEqual(expected)
    expect(await daemonPid()).not.toBe(pid)

    await first.close()
    expect(await vaultsOf(second)).toEqual(expected)
    await second.close()
    const last = await daemonPid()
    process.kill(last, 'SIGTERM')
    await until('the daemon has ended', () => !isAlive(last))
  })

  /** A home whose daemon is reached through a server that counts the sessions that are begun. */
  async function countedSessions() {
    const daemon = await startSvcd()
    onTestFinished(daemon.remove)
    let begun = 0
    const between = createServer(async (incoming, outgoing) => {
      const body = await text(incoming)
      if (body.includes('"method":"initialize"')) begun += 1
      const { method, headers, url } = incoming
      const onward = request(daemon.url + url, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode!, response.headers)
        response.pipe(outgoing)
      })
      outgoing.on('close', () => onward.destroy())
      onward.on('error', () => outgoing.destroy()).end(body)
    }).listen(0, '127.0.0.1')
    await once(between, 'listening')
    onTestFinished(() => {
      between.closeAllConnections()
      between.close()
    })
    const address = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
    const status = { version: '1', pid: daemon.process.pid, address }
    await writeFile(join(daemon.home, 'daemon/status.json'), JSON.stringify(status))
    return { env: { SVC_HOME: daemon.home }, begun: () => begun }
  }

  test('has one session for one client', async () => {
    verifies('mcp.stdio')
    const { env, begun } = await countedSessions()
    const client = await connect({ ...server(), env })
    await vaultsOf(client)
    expect(begun()).toBe(1)
    await client.close()
  })

  test('tells why a message was refused, keeps the session, and ends with its input', async () => {
    verifies('mcp.stdio')
    const { env, begun } = await countedSessions()
    const bridge = spawn(process.execPath, [script, 'mcp'], {
      env: { PATH, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    onTestFinished(() => void bridge.kill('SIGKILL'))
    const lines = createInterface({ input: bridge.stdout })[Symbol.asyncIterator]()
    const send = (message: object) => void bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const ask = async (id: number, method: string, params: object) => {
      send({ id, method, params })
      const answer = JSON.parse((await lines.next()).value as string) as { id: number; error?: { message: string } }
      expect(answer.id).toBe(id)
      return answer
    }
    const clientInfo = { name: 'raw', version: '1' }
    await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    send({ method: 'notifications/initialized' })
    const large = { vault: 'demo-vault', path: 'large.md', content: 'x'.repeat(5 * 1024 ** 2) }
    const refused = await ask(2, 'tools/call', { name: 'create_note', arguments: large })
    expect(refused.error?.message).toMatch(/^A message has at most \d+ bytes\.$/)
    expect(await ask(3, 'tools/call', { name: 'list_vaults', arguments: {} })).toHaveProperty('result')
    expect(begun()).toBe(1)

    const ended = once(bridge, 'exit')
    bridge.stdin.end()
    expect(await ended).toEqual([0, null])
  })

  test('follows the same resources after a restart of the daemon, and tells that they may have changed', async () => {
    verifies('mcp.stdio', 'mcp.resources')
    const daemon = await startSvcd()
    onTestFinished(daemon.remove)
    const client = await connect({ ...server(), env: { SVC_HOME: daemon.home } })
    const told: string[] = []
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri))
    const [kept, left] = ['vault://demo-vault/kept.md', 'vault://demo-vault/left.md']
    for (const uri of [kept, left]) await client.subscribeResource({ uri })
    await client.unsubscribeResource({ uri: left })

    await daemon.kill()
    // The bridge looks for the daemon in vain for a while, and starts none.
    await setTimeout(5_000)
    expect(told).toEqual([])
    await daemon.restart()
    await until('the client may look again', () => told.length > 0)
    expect(told).toEqual([kept])
    // The stream of the new session opens beside the calls.
    const change = async () => {
      for (const name of ['left.md', 'kept.md']) await writeFile(daemon.file('demo-vault', name), `${randomUUID()}\n`)
      return told.length > 1
    }
    await until('a change is told', change, { everyMs: 500 })
    expect(new Set(told)).toEqual(new Set([kept]))
    await client.close()
  })

  test('a large log of the daemon that it started moves aside once and begins anew', async () => {
    verifies('mcp.log-size')
    const own = await newHome()
    const log = (name: string) => join(own, 'daemon', name)
    await mkdir(join(own, 'daemon'), { recursive: true })
    await writeFile(log('svcd.log'), `${'x'.repeat(99)}\n`.repeat(60_000))
    const client = await connect({
      command: process.execPath,
      args: [script, 'mcp'],
      env: { SVC_HOME: own, SVC_PORT: '0' },
    })
    expect((await stat(log('svcd.1.log'))).size).toBeGreaterThanOrEqual(6_000_000)
    // The daemon logs it after it has written its status, which the bridge waits for.
    let now = ''
    await until('the daemon has logged', async () =>
      (now = await readFile(log('svcd.log'), 'utf8')).includes('listening'),
    )
    expect(now).not.toContain('xxx')
    await client.close()
    const { pid } = JSON.parse(await readFile(log('status.json'), 'utf8')) as { pid: number }
    process.kill(pid, 'SIGTERM')
    await until('the daemon has ended', () => !isAlive(pid))
    await removeFolder(own)
  })

  test('says why there is no daemon', async () => {
    verifies('mcp.stdio')
    const file = join(home, 'no-folder')
    await writeFile(file, '')
    const { code, stdout, stderr } = await runSvcd({ SVC_HOME: file }, ['mcp', 'install', 'none'])
    expect([code, stdout]).toEqual([64, ''])
    expect(stderr).toContain('none is not known')
  })
})

describe('svcd mcp install', () => {
  let daemon: Svcd
  let user: string
  beforeAll(async () => {
    daemon = await startSvcd()
    user = await mkdtemp(join(tmpdir(), 'svcd-user-'))
  })
  afterAll(async () => {
    await daemon.remove()
    await removeFolder(user)
  })
  const environment = () => ({ SVC_HOME: daemon.home, HOME: user })
  const install = async (...args: string[]) => {
    const { code, stdout, stderr } = await runSvcd(environment(), ['mcp', 'install', ...args])
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }

  test('what each client reads starts the same bridge, and it leads a real client to the vaults', async () => {
    verifies('mcp.install')
    const all = JSON.parse(await install('--json')) as Printed[]
    expect(all.map(({ id }) => id)).toEqual(clientIds)
    const servers = all.map(({ kind, container, text }) => {
      if (kind === 'toml') return fromToml(text)
      const { command, args, env } = (JSON.parse(text) as Record<string, { svc: Server }>)[container]!.svc
      return { command, args, env }
    })
    expect(new Set(servers.map((server) => JSON.stringify(server))).size).toBe(1)
    const client = await connect(servers[0]!)
    expect(await vaultsOf(client)).toMatchObject({ vaults: [{ id: 'demo-vault' }] })
    await client.close()
  })

  test('--write keeps what is in the file, and follows a link to it', async () => {
    verifies('mcp.install')
    const { stdout } = await runSvcd(environment(), ['mcp', 'install', 'cursor'])
    expect(stdout).toMatch(/^Cursor: put this into /)
    const file = /into (.*)$/m.exec(stdout)![1]!
    const kept = join(user, 'dotfiles.json')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(kept, '{"other":1}')
    await symlink(kept, file)
    expect(await install('cursor', '--write')).toContain('is written')
    expect(JSON.parse(await readFile(kept, 'utf8'))).toMatchObject({
      other: 1,
      mcpServers: { svc: { args: [script, 'mcp'] } },
    })

    await writeFile(kept, '{ // mine\n}')
    const { code, stderr } = await runSvcd(environment(), ['mcp', 'install', 'cursor', '--write'])
    expect([code, await readFile(kept, 'utf8')]).toEqual([1, '{ // mine\n}'])
    expect(stderr).toContain('cannot be changed without losing')
  })
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Parses the TOML that we write, which has only a few forms. */
function fromToml(text: string): Server {
  const value = (name: string) => new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1] ?? 'null'
  const variables = [...(value('env') === 'null' ? '' : value('env')).matchAll(/(\w+) = ("(?:[^"\\]|\\.)*")/g)]
  return {
    command: JSON.parse(value('command')) as string,
    args: JSON.parse(value('args')) as string[],
    env: Object.fromEntries(variables.map(([, name, text_]) => [name!, JSON.parse(text_!) as string])),
  }
}
