import { expect, test } from 'vitest'
import { readInitialize } from './read-initialize.ts'

const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params }

test('a request is read', () => expect(readInitialize(initialize)).toEqual(initialize))

test('the parameter that is not valid is named, under the id of the request', () => {
  const refused = readInitialize({ ...initialize, params: { ...params, clientInfo: { name: 'a' } } })
  expect(refused).toMatchObject({ status: 400, code: -32602, id: 0 })
  expect(refused).toMatchObject({ message: expect.stringContaining('params.clientInfo.version') as string })
})

test.each([[[initialize]], [{ ...initialize, id: undefined }], ['initialize']])('%j is refused', (body) =>
  expect(readInitialize(body)).toMatchObject({ status: 400, code: -32600 }),
)
