import { expect, test } from 'vitest'
import { listVaults } from '@svc/shared/wire/mcp/vault-tools.ts'
import { verifies } from '../../../test/requirements.ts'
import { createFeatures } from './features.ts'
import { lostCall } from './lost-call.ts'
import { modernHandler } from './modern-handler.ts'

const VERSION = '2026-07-28'

test('a call that runs when the daemon stops is reported as lost', async () => {
  verifies('mcp.lost-call')
  const isCalled = Promise.withResolvers<void>()
  const features = createFeatures({
    tools: [{ definition: listVaults, call: () => (isCalled.resolve(), new Promise(() => {})) }],
    resources: {} as never,
    registry: { list: () => [] } as never,
    log: {} as never,
  })
  const updates = { follower: () => ({ follow() {}, unfollow() {}, close() {} }), close() {} }
  const modern = modernHandler({ features, updates, version: '1', onError: (error) => expect.unreachable(`${error}`) })
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'list_vaults', arguments: {}, _meta: meta }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': 'list_vaults',
  }
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' })
  const response = await modern.answer(request, { jsonrpc: '2.0', id: 7, method: 'tools/call', params })
  await isCalled.promise
  await modern.close()
  const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as object)
  const { code, message } = lostCall()
  expect(events).toEqual([{ jsonrpc: '2.0', id: 7, error: { code, message } }])
})
