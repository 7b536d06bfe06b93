import { expect, test } from 'vitest'
import { byteRange } from '../attachments/byte-range.ts'
import { dispositionOf } from '../attachments/content-type.ts'
import { expectationOf, isNotModified, knownBaselines, parseEtags } from './conditional.ts'
import { negotiate } from './negotiation.ts'

const OFFERS = ['application/json', 'text/markdown']

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/markdown', 'text/markdown'],
  ['text/*', 'text/markdown'],
  ['text/markdown, */*', 'text/markdown'],
  ['*/*, text/*', 'text/markdown'],
  ['text/markdown, application/json', 'application/json'],
  ['text/markdown;q=0.5, application/json;q=0.4', 'text/markdown'],
  ['application/json;q=0, */*', 'text/markdown'],
  ['image/png', undefined],
  ['application/json;q=0', undefined],
])('%j is answered with %s', (accept, expected) => expect(negotiate(accept, OFFERS)).toBe(expected))

test.each([
  [undefined, undefined],
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=50-1000', { start: 50, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-5', undefined],
  ['bytes=0-1,5-6', undefined],
  ['lines=1-2', undefined],
])('range %j of 100 bytes', (header, expected) => expect(byteRange(header, 100)).toEqual(expected))

test('conditions say what the writer believes', () => {
  expect(expectationOf({})).toEqual({ kind: 'unsaid' })
  expect(expectationOf({ 'if-none-match': '*' })).toEqual({ kind: 'absent' })
  expect(expectationOf({ 'if-match': '*' })).toEqual({ kind: 'any' })
  expect(expectationOf({ 'if-match': '"a", W/"b"' })).toEqual({ kind: 'one_of', baselines: ['a', 'b'] })
  expect(() => expectationOf({ 'if-match': 'a' })).toThrow('not valid')
  expect(() => expectationOf({ 'if-match': '"a"', 'if-none-match': '*' })).toThrow('not valid')
  expect(() => parseEtags('"a" "b"')).toThrow('not valid')
})

test.each([
  [undefined, false],
  ['"a"', true],
  ['"b", W/"a"', true],
  ['*', true],
  ['"b"', false],
])('a reader with If-None-Match %j has version a: %s', (header, expected) => {
  expect(isNotModified(knownBaselines({ 'if-none-match': header }), 'a')).toBe(expected)
})

test('a condition that cannot be read is refused by its name', () => {
  const details = [{ path: 'if-none-match', message: 'is not a list of quoted baselines' }]
  expect(() => knownBaselines({ 'if-none-match': 'a' })).toThrow(expect.objectContaining({ details }))
  expect(() => expectationOf({ 'if-none-match': 'a' })).toThrow(expect.objectContaining({ details }))
})

test('only what shows without running is shown in place', () => {
  expect(dispositionOf('a/x.png')).toBe(`inline; filename="x.png"; filename*=UTF-8''x.png`)
  expect(dispositionOf('x.svg')).toMatch(/^attachment/)
  expect(dispositionOf('x.html')).toMatch(/^attachment/)
  expect(dispositionOf('a"b\u00e9.png')).toBe(`inline; filename="a_b_.png"; filename*=UTF-8''a%22b%C3%A9.png`)
})
