import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLimitedYaml } from './limited-yaml.ts'
import { readPlainYaml } from './plain-yaml.ts'

test('reads the properties that most notes have', () => {
  const text = 'title: A day\ntags: [one, two/three, 7]\ndate: 2026-01-02\nempty:\nlist:\n  - a b\n  - "x: y"\n'
  expect(readPlainYaml(text)).toEqual({
    title: 'A day',
    tags: ['one', 'two/three', 7],
    date: '2026-01-02',
    empty: null,
    list: ['a b', 'x: y'],
  })
})

test.each([
  '',
  'a: b: c',
  'a: &x 1',
  'a: 1\na: 2',
  'a: |\n  text',
  'a: b\n  c',
  'a: [b\n',
  'true: 1',
  '# note',
  'a: 01',
])('leaves %j to the parser', (text) => expect(readPlainYaml(text)).toBeUndefined())

const piece = fc.constantFrom(
  'a',
  'Ab',
  'true',
  'Null',
  'é',
  '日',
  '7',
  '0',
  '-1',
  '2026-01-02',
  '1e3',
  '.5',
  'yes',
  '"q"',
  "'s'",
  '"',
  "'",
  '""',
  ' ',
  '  ',
  '-',
  '- ',
  '/',
  '.',
  '(',
  ')',
  '&',
  '+',
  '#',
  ' #',
  ':',
  ': ',
  ',',
  ', ',
  '[',
  ']',
  '{',
  '}',
  '*',
  '!',
  '\\',
  '|',
  '>',
  '%',
  '@',
  '`',
  '~',
  '?',
  '\t',
  '\r',
  '\uFEFF',
  '\u0085',
  '\u2028',
  '\u00A0',
  '_',
  '__proto__',
)
const words = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
const line = fc.oneof(
  words.map((value) => `k: ${value}`),
  fc.tuple(fc.constantFrom('a', 'b', 'c-d', 'E_f', 'x9', 'null'), words).map(([key, value]) => `${key}: ${value}`),
  fc.array(words, { maxLength: 3 }).map((items) => `list: [${items.join(', ')}]`),
  fc.constantFrom('open:', 'last:', ''),
  words.map((value) => `- ${value}`),
  words.map((value) => `  - ${value}`),
  words,
)

test('whatever it reads, the YAML parser reads alike', () => {
  let read = 0
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
      const text = lines.join('\n')
      const plain = readPlainYaml(text)
      if (plain === undefined) return
      read++
      expect({ text, value: plain }).toEqual({ text, value: (parseLimitedYaml(text) as { value?: unknown }).value })
    }),
    { numRuns: 3000 },
  )
  expect(read).toBeGreaterThan(100)
})
