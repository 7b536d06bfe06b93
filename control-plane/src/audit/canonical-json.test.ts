import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, type Json } from './canonical-json.ts'

test('keys are sorted at every depth and absent members left out', () => {
  expect(canonicalJson({ b: 1, a: { d: [2, { f: null, e: 'x' }], c: true }, g: undefined })).toBe(
    '{"a":{"c":true,"d":[2,{"e":"x","f":null}]},"b":1}',
  )
})

test('is JSON of the same value, whatever the order of its keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as Json)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(shuffled(value) as Json)).toBe(text)
    }),
  )
})

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, shuffled(item)]),
  )
}
