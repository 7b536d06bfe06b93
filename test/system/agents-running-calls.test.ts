import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startAgentWorld, type AgentOrganization, type AgentWorld } from '../support/agent-world.ts'
import { mcpSession, type McpSession } from '../support/mcp-session.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const vaultId = 'demo-vault'
const AT_ONCE = 4

let world: AgentWorld
let ada: Person
let acme: AgentOrganization
let session: McpSession

beforeAll(async () => {
  world = await startAgentWorld()
  ada = world.cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  acme = await world.addOrganization(ada, 'Acme')
})
afterAll(() => world?.stop())

// Connect a new program for each test, because some tests end its access for good.
beforeEach(async () => {
  const { access } = await world.signIn(ada, { vaults: [{ orgId: acme.id, vaultId: null }] }, { client_name: 'Busy' })
  const url = `${world.cp.origin.replace('localhost', '127.0.0.1')}/mcp`
  session = await mcpSession(url, '2025-11-25', { authorization: `Bearer ${access}` })
  await session.tool('list_vaults', { org: acme.slug })
  await world.approve(ada, acme.id)
})

type Call = { path: string; afterEnd: boolean; outcome: string }

/** Several workers that create notes without a pause, until `stop` is called. */
function runningCalls() {
  const calls: Call[] = []
  let [isOver, hasEnded] = [false, false]
  const worker = async (nth: number) => {
    for (let at = 0; !isOver; at++) {
      const call = { path: `busy/${calls.length}-${nth}-${at}-${Math.random()}.md`, afterEnd: hasEnded, outcome: '' }
      const made = await session
        .tool('create_note', { org: acme.slug, vaultId, path: call.path, content: `${call.path}\n` })
        .catch(() => ({ isError: true, code: 'refused' }))
      calls.push({ ...call, outcome: made.isError ? String((made as { code?: unknown }).code) : 'made' })
    }
  }
  const workers = Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => worker(nth)))
  return {
    calls,
    /** Marks all calls from now on as made after the end of access. */
    ended: () => void (hasEnded = true),
    stop: async () => {
      isOver = true
      await workers
    },
  }
}
const countOf = (calls: Call[], wanted: (call: Call) => boolean) => calls.filter(wanted).length
const notesOnDisk = async () =>
  new Set((await readdir(dirname(acme.daemon.file(vaultId, 'busy/a.md')))).map((name) => `busy/${name}`))

const appOf = async () => {
  const { apps } = (await ada.get('/api/settings/agents')).body as { apps: { id: string }[] }
  return `/api/settings/agents/${apps[0]!.id}`
}
const integration = async () => {
  const { integrations } = (await ada.get(`/api/orgs/${acme.id}/integrations`)).body as {
    integrations: { id: string }[]
  }
  return `/api/orgs/${acme.id}/integrations/${integrations[0]!.id}`
}
test.each<[string, () => Promise<unknown>, string, (() => Promise<unknown>) | undefined]>([
  ['the person pauses the program', async () => ada.patch(await appOf(), { paused: true }), 'forbidden', undefined],
  [
    'an admin pauses it',
    async () => ada.patch(await integration(), { state: 'paused' }),
    'integration_not_approved',
    async () => ada.patch(await integration(), { state: 'approved' }),
  ],
  [
    'an admin revokes it',
    async () => ada.patch(await integration(), { state: 'revoked' }),
    'integration_not_approved',
    undefined,
  ],
  [
    'its approval is over',
    async () =>
      world.cp.db
        .updateTable('agent_integrations')
        .set({ expires_at: new Date(0) })
        .execute(),
    'integration_not_approved',
    undefined,
  ],
  ['the person disconnects it', async () => ada.delete(await appOf()), 'refused', undefined],
])('under a running stream of calls, none that begins after %s is made', async (_what, end, code, restore) => {
  verifies('agents.revocation')
  const running = runningCalls()
  await until('calls are made', () => countOf(running.calls, ({ outcome }) => outcome === 'made') >= 2 * AT_ONCE)
  await end()
  running.ended()
  await until('calls come later', () => countOf(running.calls, ({ afterEnd }) => afterEnd) >= 2 * AT_ONCE)
  await running.stop()
  await restore?.()

  const after = running.calls.filter(({ afterEnd }) => afterEnd)
  expect(new Set(after.map(({ outcome }) => outcome))).toEqual(new Set([code]))
  const others = running.calls.filter(({ afterEnd }) => !afterEnd).map(({ outcome }) => outcome)
  expect(others.filter((outcome) => outcome !== 'made' && outcome !== code)).toEqual([])
  const onDisk = await notesOnDisk()
  expect(after.filter(({ path }) => onDisk.has(path))).toEqual([])
})

test.each<[string, () => Promise<unknown>]>([
  ['rolls', () => acme.daemon.stop()],
  ['is killed and comes back', () => acme.daemon.kill()],
])('while its daemon %s, a call is made or says that the daemon is away, and none is lost', async (_how, leave) => {
  verifies('agents.wake', 'mcp.control-plane')
  const running = runningCalls()
  const made = () => countOf(running.calls, ({ outcome }) => outcome === 'made')
  await until('calls are made', () => made() >= 2 * AT_ONCE)
  await leave()
  await until('a call is told', () => countOf(running.calls, ({ outcome }) => outcome !== 'made') > 0)
  await acme.daemon.restart()
  const before = made()
  await until('calls are made again', () => made() >= before + 2 * AT_ONCE)
  await running.stop()

  const away = new Set(['made', 'daemon_offline', 'daemon_unreachable', 'daemon_timeout', 'relay_overloaded'])
  expect(running.calls.filter(({ outcome }) => !away.has(outcome))).toEqual([])
  const onDisk = await notesOnDisk()
  expect(running.calls.filter(({ outcome, path }) => outcome === 'made' && !onDisk.has(path))).toEqual([])
})
