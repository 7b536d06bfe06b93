import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonInSlices } from './json-in-slices.ts'

const noPause = () => undefined
const written = async (value: object): Promise<unknown> => JSON.parse(await text(jsonInSlices(value, noPause)))

test('what is written is the JSON of the value', async () => {
  const values = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      expect(await written(value)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('fields without a value are left out, beside a list as well', async () => {
  const value = { first: undefined, list: [{ name: 'a', more: undefined }], last: undefined }
  expect(await text(jsonInSlices(value, noPause))).toBe('{"list":[{"name":"a"}]}')
  expect(await text(jsonInSlices({ list: [] }, noPause))).toBe('{"list":[]}')
})

test('a long list comes in many pieces', async () => {
  const list = Array.from({ length: 20_000 }, (_, number) => ({ kind: 'note', name: `note ${number} ü` }))
  let pauses = 0
  const pause = () => {
    pauses++
    return undefined
  }
  const pieces = await jsonInSlices({ ok: true, list }, pause).toArray()
  expect(pauses).toBeGreaterThan(40)
  expect(Math.max(...pieces.map((piece: Buffer) => piece.length))).toBeLessThan(40_000)
  expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual({ ok: true, list })
})

test('a long text comes in many pieces, wherever they cut it', async () => {
  for (const start of ['', 'a']) {
    const content = start + '😀"\\\n\u0000'.repeat(20_000)
    const pieces = await jsonInSlices({ ok: true, content }, noPause).toArray()
    expect(Math.max(...pieces.map((piece: Buffer) => piece.length))).toBeLessThan(120_000)
    expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual({ ok: true, content })
  }
})
