import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { consent, LOOPBACK_REDIRECT, rawAgent } from '../support/agent-client.ts'
import { startAgentWorld, type AgentWorld } from '../support/agent-world.ts'
import { conformanceProgram, runConformance } from '../support/mcp-conformance.ts'
import { mcpSession } from '../support/mcp-session.ts'
import { sendRaw, type Person } from '../support/person.ts'
import { freePort } from '../support/free-port.ts'

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
  // It is an argument of programs like this one, and must not look like an option.
  expect(client_id).toMatch(/^client_/)
  const args = ['authorization', '--url', cp.origin, `--client-id=${client_id}`, '--resource', `${cp.origin}/mcp`, '-p', String(port)] // prettier-ignore
  const suite = spawn(process.execPath, [conformanceProgram, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const over = once(suite, 'close') // when its whole output was read
  let output = ''
  const answered = new Set<string>()
  const consents: Promise<unknown>[] = []
  const failures: unknown[] = []
  const read = (text: string) => {
    output += text
    for (const [url] of output.matchAll(/http:\/\/localhost:\d+\/oauth2\/authorize\?[^\s"']+(?=[\s"'])/g)) {
      if (answered.has(url)) continue
      answered.add(url)
      const consented = consent(ada, url, { vaults })
        .then((back) => sendRaw(back.origin, { method: 'GET', path: back.pathname + back.search }))
        .catch((error: unknown) => void failures.push(error))
      consents.push(consented)
    }
  }
  suite.stdout.setEncoding('utf8').on('data', read)
  suite.stderr.setEncoding('utf8').on('data', read)
  const [code] = await over
  await Promise.all(consents)
  expect(failures, output).toEqual([])
  expect(output).toMatch(/[1-9]\d* passed, 0 failed/)
  expect([code, answered.size > 0]).toEqual([0, true])
})

/** Scenarios that must pass, per version: an empty or cut run must not count as one. */
const scenarios: [string, string[]][] = [
  ['2025-06-18', ['server-initialize', 'server-session-lifecycle', 'tools-list', 'completion-complete']],
  ['2025-11-25', ['server-initialize', 'server-session-lifecycle', 'dns-rebinding-protection', 'tools-list']],
  ['2026-07-28', ['http-header-validation', 'caching', 'sep-2164-resource-not-found', 'dns-rebinding-protection']],
]

test.each(scenarios)('the endpoint conforms to %s but for the listed fixtures', async (version, wanted) => {
  verifies('agents.connect', 'agents.sessions', 'mcp.protocol-versions')
  const { proxy, url } = await openProxy(await token())
  const expectedFailures = ['mcp-expected-failures.yaml', 'mcp-platform-expected-failures.yaml']
  const { passed, failed, end } = await runConformance({ url, version, expectedFailures })
  proxy.closeAllConnections()
  proxy.close()
  expect(failed).toEqual([])
  expect(end).not.toMatch(/Stale/i)
  expect(passed, end).toEqual(expect.arrayContaining(wanted))
})

async function token(): Promise<string> {
  const agent = rawAgent(cp.origin)
  const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
  const back = await consent(ada, agent.authorizationUrl(client_id), { vaults })
  return (await agent.exchange(client_id, back.searchParams.get('code') ?? '')).body.access_token
}

/**
 * The suite cannot sign in, so a proxy adds the token. It forwards everything else, including names of foreign hosts.
 */
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
