import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { consent, dialLoopback, LOOPBACK_REDIRECT } from '../support/agent-client.ts'
import { agentTools } from '../support/agent-tools.ts'
import { startAgentWorld, type AgentOrganization, type AgentWorld } from '../support/agent-world.ts'
import { mcpSession } from '../support/mcp-session.ts'
import type { Person } from '../support/person.ts'

const vaultId = 'demo-vault'
/**
 * The only schema that the inspector warns about: the value of a property can be any JSON value. Clients cope worse
 * with the two explicit forms: some reject a list of types, and with `anyOf` models send JSON as text.
 */
const WARNED = ['inputSchema.properties.edits.items.properties.value']

let tools: Awaited<ReturnType<typeof agentTools>>
let world: AgentWorld
let ada: Person
let acme: AgentOrganization
let access: string
/** The platform's endpoint at an address that every program can dial. */
let endpoint: string

beforeAll(async () => {
  tools = await agentTools()
  world = await startAgentWorld()
  ada = world.cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  acme = await world.addOrganization(ada, 'Acme')
  access = (await world.signIn(ada, { vaults: [{ orgId: acme.id, vaultId: null }] })).access
  endpoint = `${world.cp.origin.replace('localhost', '127.0.0.1')}/mcp`
  const session = await mcpSession(endpoint, '2025-11-25', { authorization: `Bearer ${access}` })
  await session.tool('list_vaults', { org: acme.slug })
  await world.approve(ada, acme.id)
}, 600_000)
afterAll(() => world?.stop())

test.each(['daemon', 'platform'] as const)(
  "the inspector finds no fault in the %s's tools, strictly",
  async (which) => {
    verifies('mcp.inspector')
    const isDaemon = which === 'daemon'
    const url = isDaemon ? `${acme.daemon.url}/mcp` : endpoint
    const header = isDaemon ? [] : ['--header', `Authorization: Bearer ${access}`]
    const org = isDaemon ? [] : [`org=${acme.slug}`]
    const inspect = async (...args: string[]) => {
      const { code, stdout, stderr } = await tools.inspect(url, [...args, ...header])
      expect([code, stderr.match(/(?<=Path: ).*/g) ?? []], stderr).toEqual([0, args.includes('--strict') ? WARNED : []])
      return JSON.parse(stdout) as Record<string, any> // eslint-disable-line typescript/no-explicit-any -- as sent
    }

    const listed = await inspect('--method', 'tools/list', '--strict')
    expect(listed['tools'].map(({ name }: { name: string }) => name)).toContain('edit_note')
    expect((await inspect('--method', 'resources/list'))['resources'].length).toBeGreaterThan(0)
    expect((await inspect('--method', 'prompts/list'))['prompts'].length).toBeGreaterThan(0)
    const read = ['--method', 'tools/call', '--tool-name', 'read_note', '--tool-arg']
    const note = await inspect(...read, ...org, `vaultId=${vaultId}`, 'path=README.md')
    expect(note['structuredContent']).toMatchObject({ path: 'README.md' })
  },
)

test('the inspector is refused without a token', async () => {
  verifies('mcp.inspector')
  const { code, stdout } = await tools.inspect(endpoint, ['--method', 'tools/list', '--stored-auth-only'])
  expect([code, stdout]).toEqual([3, expect.not.stringContaining('edit_note')])
})

test.each(['2025-03-26', '2025-06-18', '2025-11-25'])("MCPJam's OAuth tests of %s pass", async (protocolVersion) => {
  verifies('agents.connect')
  const { OAuthConformanceTest } = await tools.mcpjam()
  const vaults = [{ orgId: acme.id, vaultId: null }]
  const flow = new OAuthConformanceTest(
    {
      serverUrl: `${world.cp.origin}/mcp`,
      protocolVersion,
      registrationStrategy: 'dcr',
      auth: { mode: 'interactive' },
      redirectUrl: LOOPBACK_REDIRECT,
      fetchFn: dialLoopback,
      oauthConformanceChecks: true,
      stepTimeout: 120_000,
      verification: { listTools: false },
    },
    {
      createInteractiveAuthorizationSession: async () => ({
        redirectUrl: LOOPBACK_REDIRECT,
        authorize: async ({ authorizationUrl }) => {
          const back = await consent(ada, authorizationUrl, { vaults })
          return { code: back.searchParams.get('code') ?? '' }
        },
        stop: async () => {},
      }),
    },
  )
  const { passed, steps, summary } = await flow.run()
  const failed = steps.filter(({ status }) => status === 'failed').map(({ step, error }) => [step, error?.message])
  expect(failed, summary).toEqual([])
  expect(passed).toBe(true)
  expect(steps.filter(({ status }) => status === 'passed').length).toBeGreaterThan(8)
})
