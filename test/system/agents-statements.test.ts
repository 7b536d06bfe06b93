import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { verifies } from '../requirements.ts'
import { startAgentWorld, type AgentOrganization, type AgentWorld } from '../support/agent-world.ts'
import { mcpSession, type McpSession } from '../support/mcp-session.ts'
import { until } from '../support/until.ts'

const vaultId = 'demo-vault'

let world: AgentWorld
let acme: AgentOrganization
let session: McpSession

beforeAll(async () => {
  world = await startAgentWorld()
  const ada = world.cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  acme = await world.addOrganization(ada, 'Acme')
  const { access } = await world.signIn(ada, { vaults: [{ orgId: acme.id, vaultId: null }] })
  const url = `${world.cp.origin.replace('localhost', '127.0.0.1')}/mcp`
  session = await mcpSession(url, '2025-11-25', { authorization: `Bearer ${access}` })
  await session.tool('list_vaults', { org: acme.slug })
  await world.approve(ada, acme.id)
})
afterAll(() => world?.stop())
afterEach(() => vi.restoreAllMocks())

type Call = (nth: number) => Promise<Record<string, unknown>>

/**
 * Repeats a call until it sends at most `most` statements, and returns their number. A single call may include
 * statements of background work.
 */
async function statementsOf(call: Call, { most }: { most: number }): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  let [sent, nth] = [Infinity, 0]
  await until(`a call sends ${most} statements`, async () => {
    query.mockClear()
    expect((await call(nth++))['isError']).toBe(false)
    sent = query.mock.calls.length
    return sent <= most
  })
  return sent
}

test('one statement decides about a call; one that changes something adds its entry to the audit', async () => {
  verifies('agents.statements')
  const { tool } = session
  expect(await statementsOf(() => tool('list_orgs'), { most: 1 })).toBe(1)
  expect(await statementsOf(() => tool('read_note', { org: acme.slug, vaultId, path: 'README.md' }), { most: 1 })).toBe(
    1,
  )
  const made = (nth: number) => tool('create_note', { org: acme.slug, vaultId, path: `${nth}.md`, content: 'x\n' })
  expect(await statementsOf(made, { most: 2 })).toBe(2)
})
