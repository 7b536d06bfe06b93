import { expect, test } from 'vitest'
import { readMessages } from './json-rpc.ts'

test.each<[string, unknown, number]>([
  ['no text', undefined, -32700],
  ['no JSON', '{', -32700],
  ['an empty batch', '[]', -32600],
  ['a long batch', JSON.stringify(Array.from({ length: 21 }, () => ({}))), -32600],
])('%s is refused', (_what, text, code) => expect(readMessages(text)).toMatchObject({ code }))

test.each(['null', '1', '"x"', '{}', '[null]', '{"method":{}}', '{"method":"notifications/cancelled","params":null}'])(
  '%s is left to the protocol',
  (text) => expect(readMessages(text)).toMatchObject({ begins: false, cancels: [], listens: undefined }),
)

test('a message tells what the endpoint itself must know', () => {
  expect(readMessages('[{"method":"ping"},{"method":"initialize"}]')).toMatchObject({ begins: true })
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 7 } }
  expect(readMessages(JSON.stringify([cancelled]))).toMatchObject({ cancels: [7] })
  const listen = (notifications: object) =>
    readMessages(JSON.stringify({ method: 'subscriptions/listen', params: { notifications } }))
  expect(listen({ resourceSubscriptions: ['vault://a/b/c.md'] })).toMatchObject({ listens: ['vault://a/b/c.md'] })
  expect(listen({})).toMatchObject({ listens: [] })
})
