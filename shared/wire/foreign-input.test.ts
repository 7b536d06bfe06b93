import { expect, test } from 'vitest'
import { z } from 'zod'
import { hasMoreValues, parseForeign, smallRecord } from './foreign-input.ts'

test('parsing stops at the first problem', () => {
  const wrong = Array.from({ length: 1_000 }, () => ({}))
  const parsed = parseForeign(z.object({ list: z.array(z.object({ id: z.string() })) }), { list: wrong })
  expect(parsed.error?.issues).toHaveLength(1)
  expect(parsed.error?.issues[0]).toMatchObject({ path: ['list', 0, 'id'] })
})

test('a record with too many keys is refused before its values are read', () => {
  const schema = smallRecord(z.string())
  const keys = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]))
  expect(schema.safeParse(keys(1_000, 'v')).data).toEqual(keys(1_000, 'v'))
  expect(schema.safeParse(keys(1_001, 7)).error?.issues).toHaveLength(1)
  expect(schema.safeParse([]).success).toBe(false)
})

test.each<[string, number]>([
  ['[]', 2],
  ['[1,2,3]', 4],
  ['{"a":{"b":[1]},"c":","}', 5],
  ['{"a":"[{,\\"[{,\\\\","b":1}', 3],
])('%s has no more than %i values', (text, values) => {
  expect(hasMoreValues(text, values)).toBe(false)
  expect(hasMoreValues(text, values - 1)).toBe(true)
})
