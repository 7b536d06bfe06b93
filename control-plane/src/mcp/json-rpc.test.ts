import { expect, test } from 'vitest'
import { firstBelow, leastCpuMs } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
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

const many = (count: number, element: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => element(at)).join()

test.each<[string, string]>([
  [
    'files that are no text',
    `{"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":[${many(2_000_000, () => '0')}]}}}`,
  ],
  ['arguments', `{"method":"prompts/get","params":{"arguments":{${many(300_000, (at) => `"${at}":0`)}}}}`],
  ['empty values', `[${many(1_000_000, () => '{}')}]`],
])('a message with very many %s is refused at once', async (_what, text) => {
  expect(readMessages(text)).toMatchObject({ code: -32600, message: 'A message has at most 10000 values.' })
  const took = async () => (await leastCpuMs(() => readMessages(text))) / slowness()
  expect(await firstBelow(STALL_MS, took)).toBeLessThan(STALL_MS)
})

test('a message may hold a long text of many commas', () => {
  const content = 'a,[{"\\'.repeat(100_000)
  const body = { method: 'tools/call', params: { name: 'write_note', arguments: { content } } }
  expect(readMessages(JSON.stringify(body))).toMatchObject({ body })
})
