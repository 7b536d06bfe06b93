import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { readProperties } from './read-properties.ts'
import { readNoteFacts } from './note-facts.ts'
import { linesOf, outlineOf, titleOf } from './outline.ts'

test('headings are ATX and setext ones outside code and properties', () => {
  const text =
    '---\n# not: this\n---\n# One #\n\nTwo\n===\n\n```md\n# no\n```\n~~~\n# no\n```\n~~~\n  ### Three\n#no\n- item\n---\n'
  expect(outlineOf(text).map(({ level, text, line }) => [level, text, line])).toEqual([
    [1, 'One', 4],
    [1, 'Two', 6],
    [3, 'Three', 16],
  ])
})

test('offsets of headings are those of their lines', () => {
  const text = 'a\r\n# B\r\nc'
  const [heading] = outlineOf(text)
  expect(text.slice(heading!.start, heading!.end)).toBe('# B\r\n')
  expect([...linesOf('a\n\nb')].map((line) => line.text)).toEqual(['a', '', 'b'])
})

test('the title is the first heading of level 1, else the name', () => {
  expect(titleOf('a/b.md', outlineOf('## x\n# y\n'))).toBe('y')
  expect(titleOf('a/Bases syntax.md', outlineOf('## Example\n'))).toBe('Bases syntax')
  expect(titleOf('x.md', outlineOf('\uFEFF# Marked\n'))).toBe('Marked')
})

test('properties are read, and broken ones are none', () => {
  verifies('untrusted.front-matter')
  expect(readProperties('---\na: 1\nb: [x]\nd: 2026-01-02\n---\n')).toEqual({
    values: { a: 1, b: ['x'], d: '2026-01-02' },
  })
  expect(readProperties('---\na: [\n---\n')).toEqual({ values: {}, problem: 'invalid' })
  expect(readProperties('---\nno end\n')).toEqual({ values: {} })
  expect(readProperties('text\n---\na: 1\n---\n')).toEqual({ values: {} })
  expect(readProperties('---\njust words\n---\n')).toEqual({ values: {} })
})

test.each([
  ['? '.repeat(800), 'key_not_scalar'],
  ['? [a]\n: b\n', 'key_not_scalar'],
  ['{a: b}: c\n', 'key_not_scalar'],
  [`a: ${'['.repeat(800)}`, 'too_deep'],
  [Array.from({ length: 40 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''), 'too_deep'],
  [Array.from({ length: 2001 }, (_, key) => `k${key}: 1\n`).join(''), 'too_many_keys'],
  [`a: &a 1\nb: [${'*a,'.repeat(21)}]\n`, 'too_many_aliases'],
  [`a: &a ${'x'.repeat(30_000)}\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n`, 'value_too_large'],
  [`a: ${'x'.repeat(70_000)}\n`, 'too_long'],
  ['a: "\\u12"\n', 'invalid'],
])('properties beyond the limits are text: %.20j', (yaml, problem) => {
  verifies('untrusted.front-matter')
  expect(readProperties(`---\n${yaml}\n---\n`)).toEqual({ values: {}, problem })
})

test('tags that are no words are left out', () => {
  const text = '---\ntags: [{ toString: 1 }, 7, a]\n---\n#b #1 #1a\n'
  expect(readNoteFacts('n.md', Buffer.from(text), text).tags).toEqual(['7', 'a', 'b', '1a'])
})

test('tags come from properties and text', () => {
  const text = '---\ntags: [One, "#two"]\n---\n#three and (#four/five) but not a#b, `x` or #12\n```\n#code\n```\n'
  expect(readNoteFacts('a.md', Buffer.from(text), text).tags).toEqual(['one', 'two', 'three', 'four/five'])
})
