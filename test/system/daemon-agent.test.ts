import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentCallAnswer } from '@svc/shared/wire/mcp/agent-call.api.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon, type AgentCaller } from '../support/relayed-daemon.ts'

let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
const ada: AgentCaller = { sub: newId(idPrefixes.user), name: 'Ada', role: 'admin' }

beforeAll(async () => void (daemon = await startRelayedDaemon()))
afterAll(() => daemon.close())

const ask = (tool: string, args: object = {}, caller: Partial<AgentCaller> = {}) =>
  daemon.agentCall({ tool, arguments: args }, { ...ada, ...caller })
const answer = async (...request: Parameters<typeof ask>) =>
  AgentCallAnswer.parse((await ask(...request)).body).result as Record<string, string>
const codeOf = async (...request: Parameters<typeof ask>) =>
  ((await ask(...request)).body as { error?: { code: string } }).error?.code
const vaultId = 'demo-vault'

test('an agent of the control plane reads and edits a note; the audit names client, person and integration', async () => {
  verifies('mcp.agent-call', 'audit.mcp-client')
  expect(await answer('list_vaults')).toEqual({ vaults: [{ id: vaultId, displayName: 'Demo vault' }] })
  await answer('create_note', { vaultId, path: 'a.md', content: 'one\n' })
  const { baseline } = await answer('read_note', { vaultId, path: 'a.md' })
  await answer('edit_note', { vaultId, path: 'a.md', baseline, edits: [{ oldText: 'one', newText: 'two' }] })
  expect(await answer('read_note', { vaultId, path: 'a.md' })).toMatchObject({ content: 'two\n' })

  const { body } = await daemon.local(`/api/vaults/${vaultId}/audit?limit=2`)
  const by = {
    actor: 'mcp_client',
    client: 'Claude',
    person: { id: ada.sub, name: 'Ada' },
    integration: 'https://claude.example',
  }
  expect(body).toMatchObject({
    entries: [
      { ...by, tool: 'edit_note' },
      { ...by, tool: 'create_note' },
    ],
  })
})

describe('the daemon decides again what an agent may do', () => {
  const note = { vaultId, path: 'kept.md' }
  beforeAll(async () => void (await answer('create_note', { ...note, content: 'kept\n' })))

  test.each<[string, string, object, Partial<AgentCaller>, string]>([
    [
      'writing with the scope to read',
      'create_note',
      { vaultId, path: 'b.md', content: 'x' },
      { scopes: ['read'] },
      'forbidden',
    ],
    ['reading without its scope', 'read_note', note, { scopes: ['write'] }, 'forbidden'],
    ['deleting for good', 'delete_note', { ...note, permanent: true }, {}, 'forbidden'],
    ['a vault that the grant does not name', 'read_note', note, { vaults: ['other'] }, 'not_found'],
    ['a vault that is not there', 'read_note', { ...note, vaultId: 'other' }, {}, 'not_found'],
    ['a tool that is not there', 'import_vault', {}, {}, 'invalid_request'],
    ['arguments that do not fit', 'read_note', { vaultId }, {}, 'invalid_request'],
  ])('%s is refused', async (_what, tool, args, caller, code) => {
    verifies('mcp.agent-call')
    expect(await codeOf(tool, args, caller)).toBe(code)
    expect(await answer('read_note', note)).toMatchObject({ content: 'kept\n' })
  })

  test('vaults outside its grant are not listed', async () => {
    expect(await answer('list_vaults', {}, { vaults: [] })).toEqual({ vaults: [] })
  })
})

test('the route is for agents alone, and an agent has no other', async () => {
  verifies('mcp.agent-call', 'security.default-deny')
  const call = { json: { tool: 'list_vaults', arguments: {} } }
  expect((await daemon.local('/api/agent/call', call)).status).toBe(404)
  expect((await daemon.person('admin').call('/api/agent/call', call)).status).toBe(403)
  for (const path of [
    `/api/vaults/${vaultId}/notes/kept.md`,
    `/api/vaults/${vaultId}/tree`,
    '/api/whoami',
    '/mcp',
    '/',
  ])
    expect([path, (await daemon.agentRequest(path, ada)).status]).toEqual([path, 403])
})
