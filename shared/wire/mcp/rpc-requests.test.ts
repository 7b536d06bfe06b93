import { expect, test } from 'vitest'
import { createDispatch, type RpcHandlers } from './rpc-requests.ts'

const methods = ['tools/list', 'tools/call', 'resources/list', 'resources/templates/list', 'resources/read'] as const
const more = ['resources/subscribe', 'resources/unsubscribe', 'prompts/list', 'prompts/get'] as const
const names = [...methods, ...more, 'completion/complete'] as const
/** Every handler returns its method, its parameters and its context. */
const handlers = Object.fromEntries(
  names.map((method) => [method, (params: unknown, by: string) => ({ method, params, by })]),
) as unknown as RpcHandlers<string>
const dispatch = createDispatch(handlers)

test.each<[string, object | undefined, object]>([
  ['tools/list', undefined, {}],
  ['tools/list', { cursor: 'c', _meta: { more: 1 } }, { cursor: 'c' }],
  [
    'tools/call',
    { name: 'read_note', arguments: { path: 'a.md' } },
    { name: 'read_note', arguments: { path: 'a.md' } },
  ],
  ['tools/call', { name: 'n', _meta: { progressToken: 7 } }, { name: 'n', _meta: { progressToken: 7 } }],
  ['resources/read', { uri: 'vault://v/a.md' }, { uri: 'vault://v/a.md' }],
  ['prompts/get', { name: 'tidy', arguments: { path: 'a' } }, { name: 'tidy', arguments: { path: 'a' } }],
])('%s with %j reaches its handler', async (method, params, given) => {
  expect(await dispatch({ method, params }, 'ada')).toEqual({ method, params: given, by: 'ada' })
})

test.each<[string, unknown, string]>([
  ['tools/call', {}, 'params.name'],
  ['tools/call', { name: 'n', arguments: [] }, 'params.arguments'],
  ['tools/call', { name: 'n', _meta: { progressToken: {} } }, 'params._meta.progressToken'],
  ['tools/list', { cursor: 7 }, 'params.cursor'],
  ['resources/read', undefined, 'params.uri'],
  ['prompts/get', { name: 'tidy', arguments: { path: 7 } }, 'params.arguments.path'],
  ['completion/complete', { ref: {}, argument: { name: 'a', value: 'b' } }, 'params.ref.type'],
])('%s with %j is refused and says where', async (method, params, where) => {
  await expect(dispatch({ method, params }, 'ada')).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining(where) as string,
  })
})

test.each([
  ['resources/read', 16_384],
  ['resources/subscribe', 8_192],
])('%s takes an address of up to %i characters', async (method, most) => {
  const ask = (length: number) => dispatch({ method, params: { uri: 'u'.repeat(length) } }, 'ada')
  await expect(ask(most)).resolves.toMatchObject({ method })
  await expect(ask(most + 1)).rejects.toMatchObject({ code: -32602 })
})

test.each(['tools/call', 'prompts/get'])(
  '%s with very many arguments is refused before any is read',
  async (method) => {
    const given = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a${at}`, 7]))
    await expect(dispatch({ method, params: { name: 'n', arguments: given } }, 'ada')).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params: params.arguments has more than 1000 keys',
    })
  },
)

test.each(['tools/none', '__proto__', 'constructor', 'toString', ''])('%j is no method', (method) =>
  expect(dispatch({ method, params: {} }, 'ada')).rejects.toMatchObject({ code: -32601 }),
)
