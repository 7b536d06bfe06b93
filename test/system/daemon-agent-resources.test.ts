import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  AgentChanges,
  AgentCompletion,
  AgentResource,
  AgentResources,
} from '@svc/shared/wire/mcp/agent-resources.api.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon, type AgentCaller } from '../support/relayed-daemon.ts'

const vaultId = 'demo-vault'
const ada: AgentCaller = { sub: newId(idPrefixes.user), name: 'Ada', role: 'member', vaults: [vaultId] }
const stranger: AgentCaller = { ...ada, vaults: ['another'] }
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>

beforeAll(async () => {
  daemon = await startRelayedDaemon()
  await put('x/plan.md', '# Plan\n')
})
afterAll(() => daemon.close())

const put = (path: string, content: string) =>
  daemon.local(`/api/vaults/${vaultId}/notes/${path}`, {
    method: 'PUT',
    json: { content },
    headers: { 'if-none-match': '*' },
  })
const ask = (path: string, json: object, caller = ada) => daemon.agentRequest(`/api/agent/${path}`, caller, { json })
const changesSince = async (since: string | undefined, waitMs = 0) => {
  const { body } = await ask('changes', { vaultId, since, waitMs })
  return AgentChanges.parse(body)
}

test('an agent lists, reads and completes the files of its vaults alone', async () => {
  verifies('mcp.agent-resources')
  const uri = `vault://${vaultId}/x/plan.md`
  const { resources } = AgentResources.parse((await ask('resources', {})).body)
  expect(resources).toContainEqual(expect.objectContaining({ uri, title: 'Plan', mimeType: 'text/markdown' }))
  expect(AgentResource.parse((await ask('resource', { uri })).body).contents).toMatchObject([{ text: '# Plan\n' }])
  const path = { name: 'path', value: 'PLAN', vaultId }
  expect(AgentCompletion.parse((await ask('complete', path)).body).values).toEqual(['x/plan.md'])

  expect(AgentResources.parse((await ask('resources', {}, stranger)).body).resources).toEqual([])
  expect((await ask('resource', { uri }, stranger)).status).toBe(404)
  expect(AgentCompletion.parse((await ask('complete', path, stranger)).body).values).toEqual([])
  expect((await ask('changes', { vaultId }, stranger)).status).toBe(404)
})

test('a control plane that does not ask for long cursors gets short ones', async () => {
  verifies('mcp.resources-paged')
  await Promise.all(Array.from({ length: 201 }, (_, at) => put(`many/${at}.md`, 'x\n')))
  const page = async (query: string, cursor?: string) =>
    AgentResources.parse((await ask(`resources${query}`, { cursor })).body)
  const { nextCursor } = await page('')
  expect(nextCursor).toBe('200')
  expect(await page('', nextCursor)).not.toHaveProperty('nextCursor')
  expect((await page('?cursors=long')).nextCursor).toMatch(/^vault:/)
})

test('an agent is told which files changed, also while it waits', async () => {
  verifies('mcp.agent-resources')
  const { at, paths } = await changesSince(undefined)
  expect(paths).toEqual([])
  await put('first.md', 'x\n')
  const first = await changesSince(at)
  expect(first).toMatchObject({ paths: ['first.md'], isComplete: true })
  const waiting = changesSince(first.at, 5_000)
  await put('second.md', 'x\n')
  expect((await waiting).paths.concat((await changesSince(first.at)).paths)).toContain('second.md')
  expect(await changesSince('another-1')).toMatchObject({ paths: [], isComplete: false })
})

test('the routes are for agents that may read', async () => {
  verifies('mcp.agent-resources', 'security.default-deny')
  const uri = `vault://${vaultId}/x/plan.md`
  for (const [path, json] of [
    ['resources', {}],
    ['resource', { uri }],
    ['complete', { name: 'vaultId', value: '' }],
    ['changes', { vaultId }],
  ] as const) {
    expect([path, (await ask(path, json, { ...ada, scopes: ['write'] })).status]).toEqual([path, 403])
    expect([path, (await daemon.local(`/api/agent/${path}`, { json })).status]).toEqual([path, 404])
    expect([path, (await daemon.person('admin').call(`/api/agent/${path}`, { json })).status]).toEqual([path, 403])
    expect([path, (await ask(path, { ...json, other: 1 })).status]).toEqual([path, 400])
  }
})
