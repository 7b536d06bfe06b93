import { describe, expect, test } from 'vitest'
import { readInitialize, readMessages, requestProblem } from './session-messages.ts'

const nothingInFlight = () => false
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const accept = 'application/json, text/event-stream'

describe('the headers of a request', () => {
  test.each([
    ['a POST with both types', 'POST', { accept }, undefined],
    ['a POST with one of them', 'POST', { accept: 'application/json' }, 406],
    ['a POST without accept', 'POST', {}, 406],
    ['a GET that reads events', 'GET', { accept: 'text/event-stream' }, undefined],
    ['a GET that does not', 'GET', { accept: 'text/html' }, 406],
    ['a DELETE', 'DELETE', {}, undefined],
    ['a known version', 'POST', { accept, 'mcp-protocol-version': '2025-06-18' }, undefined],
    ['an unknown version', 'POST', { accept, 'mcp-protocol-version': '1999-01-01' }, 400],
  ])('%s', (_name, method, headers, status) => {
    expect(requestProblem({ method, headers })?.status).toBe(status)
  })
})

describe('the messages of a body', () => {
  test('one message, a batch, and messages without an id are read', () => {
    expect(readMessages(ping, nothingInFlight)).toEqual([ping])
    const told = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect(readMessages([ping, told, { ...ping, id: 'a' }], nothingInFlight)).toHaveLength(3)
  })

  test.each([
    null,
    7,
    'ping',
    {},
    [[ping]],
    { ...ping, jsonrpc: '1.0' },
    { ...ping, id: null },
    { ...ping, params: 3 },
  ])('%j is no message', (body) =>
    expect(readMessages(body, nothingInFlight)).toMatchObject({ status: 400, code: -32600 }),
  )

  test('an id that is in flight, or comes twice, is refused under that id', () => {
    expect(readMessages(ping, (id) => id === 1)).toMatchObject({ status: 400, id: 1 })
    expect(readMessages([ping, ping], nothingInFlight)).toMatchObject({ status: 400, id: 1 })
  })
})

describe('initialize', () => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
  const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params }

  test('is read', () => expect(readInitialize(initialize)).toEqual(initialize))

  test('says which parameter is not valid, under the id of the request', () => {
    const refused = readInitialize({ ...initialize, params: { ...params, clientInfo: { name: 'a' } } })
    expect(refused).toMatchObject({ status: 400, code: -32602, id: 0 })
    expect(refused).toMatchObject({ message: expect.stringContaining('params.clientInfo.version') as string })
  })

  test.each([[[initialize]], [{ ...initialize, id: undefined }], ['initialize']])('%j is refused', (body) =>
    expect(readInitialize(body)).toMatchObject({ status: 400, code: -32600 }),
  )
})
