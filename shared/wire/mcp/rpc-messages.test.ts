import { describe, expect, test } from 'vitest'
import { readRpcMessages, requestProblem } from './rpc-messages.ts'

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
    expect(readRpcMessages(ping, nothingInFlight)).toEqual([ping])
    const told = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect(readRpcMessages([ping, told, { ...ping, id: 'a' }], nothingInFlight)).toHaveLength(3)
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
    { ...ping, params: null },
    { ...ping, more: 1 },
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: 1, result: 3 },
    { jsonrpc: '2.0', id: 1, error: { code: 'x', message: 'y' } },
  ])('%j is no message', (body) =>
    expect(readRpcMessages(body, nothingInFlight)).toMatchObject({ status: 400, code: -32600 }),
  )

  test.each([
    { jsonrpc: '2.0', id: 1, result: { tools: [] } },
    { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no such method', data: 1 } },
    { jsonrpc: '2.0', error: { code: -32700, message: 'parse error' } },
  ])('the response %j of a client is read', (body) => expect(readRpcMessages(body, nothingInFlight)).toEqual([body]))

  test('an id that is in flight, or comes twice, is refused under that id', () => {
    expect(readRpcMessages(ping, (id) => id === 1)).toMatchObject({ status: 400, id: 1 })
    expect(readRpcMessages([ping, ping], nothingInFlight)).toMatchObject({ status: 400, id: 1 })
  })
})
