import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { consent, LOOPBACK_REDIRECT, rawAgent } from '../support/agent-client.ts'
import { startAgentWorld, type AgentWorld } from '../support/agent-world.ts'
import { mcpSession } from '../support/mcp-session.ts'
import { sendRaw, type Person } from '../support/person.ts'
import { freePort } from '../support/platform.ts'

const program = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)

/** What both endpoints cannot pass, and what this one cannot, in one file for the suite. */
async function expectedFailures(): Promise<string> {
  const texts = ['../mcp-expected-failures.yaml', '../mcp-platform-expected-failures.yaml'].map((name) =>
    readFile(new URL(name, import.meta.url), 'utf8'),
  )
  const [common = '', own = ''] = await Promise.all(texts)
  const file = join(await mkdtemp(join(tmpdir(), 'svc-conformance-')), 'expected-failures.yaml')
  await writeFile(file, common + own.slice(own.indexOf('server:') + 'server:'.length))
  return file
}

let world: AgentWorld
let cp: AgentWorld['cp']
let ada: Person
let vaults: { orgId: string; vaultId: null }[]

beforeAll(async () => {
  world = await startAgentWorld()
  cp = world.cp
  ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  const { id, slug } = await world.addOrganization(ada, 'Acme')
  vaults = [{ orgId: id, vaultId: null }]
  const url = `${cp.origin.replace('localhost', '127.0.0.1')}/mcp`
  const session = await mcpSession(url, '2025-11-25', { authorization: `Bearer ${await token()}` })
  await session.tool('list_vaults', { org: slug })
  await world.approve(ada, id)
})
afterAll(() => world?.stop())

test('the authorization server passes the authorization suite', async () => {
  verifies('agents.connect')
  const port = await freePort()
  const callback = `http://127.0.0.1:${port}/callback`
  const { client_id } = (await rawAgent(cp.origin).register({ redirect_uris: [callback] })).body
  const args = ['authorization', '--url', cp.origin, '--client-id', client_id, '--resource', `${cp.origin}/mcp`, '-p', String(port)] // prettier-ignore
  const suite = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const over = once(suite, 'exit')
  let output = ''
  const answered = new Set<string>()
  const read = (text: string) => {
    output += text
    for (const [url] of output.matchAll(/http:\/\/localhost:\d+\/oauth2\/authorize\?[^\s"']+(?=[\s"'])/g)) {
      if (answered.has(url)) continue
      answered.add(url)
      void consent(ada, url, { vaults }).then((back) => sendRaw(back.origin, { method: 'GET', path: back.pathname + back.search })) // prettier-ignore
    }
  }
  suite.stdout.setEncoding('utf8').on('data', read)
  suite.stderr.setEncoding('utf8').on('data', read)
  const [code] = await over
  expect(output).toMatch(/[1-9]\d* passed, 0 failed/)
  expect([code, answered.size > 0]).toEqual([0, true])
})

/** Scenarios whose whole output is a pass, per version: an empty or cut run must not count as one. */
const passed: [string, string[]][] = [
  ['2025-06-18', ['server-initialize', 'server-session-lifecycle', 'tools-list', 'completion-complete']],
  ['2025-11-25', ['server-initialize', 'server-session-lifecycle', 'dns-rebinding-protection', 'tools-list']],
  ['2026-07-28', ['http-header-validation', 'caching', 'sep-2164-resource-not-found', 'dns-rebinding-protection']],
]

test.concurrent.each(passed)('the endpoint conforms to %s but for the listed fixtures', async (version, scenarios) => {
  verifies('agents.connect', 'agents.sessions', 'mcp.protocol-versions')
  const { proxy, url } = await openProxy(await token())
  const args = [program, 'server', '--url', url, '--suite', 'all', '--spec-version', version]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...args, '--expected-failures', await expectedFailures()],
    {
      maxBuffer: 64 * 1024 * 1024,
    },
  ).catch((error: { stdout?: string; message: string }) => ({ stdout: `${error.stdout}\n${error.message}` }))
  proxy.closeAllConnections()
  proxy.close()
  expect(stdout.slice(-2000)).not.toMatch(/Unexpected failures|Stale|Command failed/i)
  for (const scenario of scenarios) expect(stdout).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
})

async function token(): Promise<string> {
  const agent = rawAgent(cp.origin)
  const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
  const back = await consent(ada, agent.authorizationUrl(client_id), { vaults })
  return (await agent.exchange(client_id, back.searchParams.get('code') ?? '')).body.access_token
}

/** The suite cannot sign in, so a proxy adds the token. It passes on the rest, names of foreign hosts among it. */
async function openProxy(access: string): Promise<{ proxy: Server; url: string }> {
  const target = new URL(cp.origin)
  const proxy = createServer((incoming, outgoing) => {
    const host = incoming.headers.host?.replace(/^(localhost|127\.0\.0\.1):\d+$/, `$1:${target.port}`)
    const headers = { ...incoming.headers, host, authorization: `Bearer ${access}` }
    const onward = request(
      { host: '127.0.0.1', port: target.port, method: incoming.method, path: incoming.url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return { proxy, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp` }
}
