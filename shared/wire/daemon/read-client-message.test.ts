import { describe, expect, test } from 'vitest'
import { ClientMessage, liveLimits } from './live-messages.ts'
import { readClientMessage, readPush } from './read-client-message.ts'

const push = (part: object) => ({ type: 'push', version: 3, seq: 1, updates: [[4, [0, 'word'], 2]], ...part })

/** Values that are valid in one place of a push and invalid in another. */
const odd = [
  0,
  1,
  -1,
  -0,
  1.5,
  2 ** 53,
  1e300,
  '1',
  '',
  'a\nb',
  'a\r',
  '\0',
  '\ud800',
  null,
  true,
  [],
  [[]],
  {},
  [1],
  ['a'],
]
const changes = [...odd, [0], [-1], [1.5], [[0, 'a']], [[0, 'a', 'b']], [[0, 1]], [['a']], [[0, '\udc00']], [[0, null]]]

/** Updates with this many sections together, each of the largest size. */
const sectioned = (count: number) =>
  Array.from({ length: count / liveLimits.maxSections }, () => Array.from({ length: liveLimits.maxSections }, () => 1))

describe('a push that is read by hand', () => {
  const pushes = [
    push({}),
    push({ more: 1 }),
    ...odd.flatMap((value) => ['type', 'version', 'seq', 'updates'].map((name) => push({ [name]: value }))),
    ...['type', 'version', 'seq', 'updates'].map((name) => push({ [name]: undefined })),
    ...changes.flatMap((value) => [push({ updates: [value] }), push({ updates: [[3], value] })]),
    push({ updates: Array.from({ length: liveLimits.maxUpdates }, () => [1]) }),
    push({ updates: Array.from({ length: liveLimits.maxUpdates + 1 }, () => [1]) }),
    push({ updates: [Array.from({ length: liveLimits.maxSections }, () => 1)] }),
    push({ updates: [Array.from({ length: liveLimits.maxSections + 1 }, () => 1)] }),
    push({ updates: sectioned(liveLimits.maxPushSections) }),
    push({ updates: [...sectioned(liveLimits.maxPushSections), [1]] }),
    push({ updates: [[[0, 'x'.repeat(liveLimits.maxInserted)]]] }),
    push({ updates: [[[0, 'x'.repeat(liveLimits.maxInserted)]], [[0, '', '']]] }),
    ...odd,
  ].map((value) => JSON.stringify(value))

  test('is what the schema makes of it', () => {
    const values = pushes.map((text): unknown => JSON.parse(text))
    expect(values.map(readPush)).toStrictEqual(values.map((value) => ClientMessage.safeParse(value).data))
  })

  test('some are pushes and some are not', () => {
    const read = pushes.map((text) => readPush(JSON.parse(text)) !== undefined)
    expect(read.filter(Boolean).length).toBeGreaterThan(8)
    expect(read.filter((is) => !is).length).toBeGreaterThan(80)
  })
})

test.each([
  { type: 'hello', clientId: 'client-1', alive: true },
  { type: 'loaded', version: 1, length: 0 },
  push({}),
  { type: 'cursor', version: 1, anchor: 2, head: 3 },
  { type: 'bye' },
])('reads $type', (message) => {
  expect(readClientMessage(JSON.stringify(message))).toStrictEqual(message)
})

test.each(['', '{', 'null', '[]', '{"type":"push"}', '{"type":"other"}', '"push"'])('refuses %j', (text) => {
  expect(readClientMessage(text)).toBeUndefined()
})

test('a push has a limit of sections and one of inserted characters', () => {
  const { maxPushSections, maxInserted } = liveLimits
  const isRead = (updates: unknown[]) => readPush(push({ updates })) !== undefined
  expect(isRead(sectioned(maxPushSections))).toBe(true)
  expect(isRead([...sectioned(maxPushSections), [1]])).toBe(false)
  const lines = Array.from({ length: maxInserted / 2 + 1 }, () => 'x')
  expect(isRead([[[0, ...lines]]])).toBe(false)
  expect(isRead([[[0, ...lines.slice(1)]], [[0, 'x']]])).toBe(true)
})
