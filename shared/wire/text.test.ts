import { expect, test } from 'vitest'
import { jsonValue, text, webUrl } from './text.ts'

test.each([
  ['nothing', '', true],
  ['words', 'Ünïted 日本 👩‍🚀', true],
  ['control characters that a note may hold', 'a\tb\r\nc\u0001', true],
  ['NUL', 'a\0b', false],
  ['a lone high surrogate', 'a\ud83d', false],
  ['a lone low surrogate', '\ude80a', false],
  ['surrogates in the wrong order', '\ude80\ud83d', false],
])('text takes %s or not', (_, value, taken) => expect(text().safeParse(value).success).toBe(taken))

test.each([
  ['an address', 'https://example.org/a.png', true],
  ['another scheme', 'ftp://example.org/a.png', false],
  ['NUL, which URL parsers drop', 'https://example.org/\0', false],
  ['a lone surrogate', 'https://example.org/\ud800', false],
])('a web address takes %s or not', (_, value, taken) => expect(webUrl().safeParse(value).success).toBe(taken))

test.each([
  ['a deep value', { a: [1, 'b', { c: null }], d: undefined }, true],
  ['NUL below', { a: [1, { b: 'x\0' }] }, false],
  ['NUL in a key', [{ 'x\0': 1 }], false],
  ['a lone surrogate below', ['\ud800'], false],
])('a JSON value takes %s or not', (_, value, taken) => expect(jsonValue().safeParse(value).success).toBe(taken))

test('a JSON value may be nested deeper than the stack is', () => {
  const deep = JSON.parse('['.repeat(200_000) + '"x\\u0000"' + ']'.repeat(200_000)) as unknown
  expect(jsonValue().safeParse(deep).success).toBe(false)
})
