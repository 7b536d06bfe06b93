import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from './fold.ts'
import { asciiTerm, collector, MAX_TERM, scanTokens, tokensOf, type Token } from './tokens.ts'

const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u

/** The terms of a text by definition, for texts without marks and compatibility forms. */
function naiveTerms(text: string): string[] {
  const runs = text.match(/[\p{L}\p{N}_]+/gu) ?? []
  return runs.flatMap((run) => {
    const characters = [...run]
    const parts: { unspaced: boolean; characters: string[] }[] = []
    for (const character of characters) {
      const unspaced = UNSPACED.test(character)
      if (parts.at(-1)?.unspaced === unspaced) parts.at(-1)!.characters.push(character)
      else parts.push({ unspaced, characters: [character] })
    }
    return parts.flatMap(({ unspaced, characters }) =>
      unspaced
        ? characters.map((character, index) => character + (characters[index + 1] ?? ''))
        : [fold(characters.join('')).slice(0, MAX_TERM)],
    )
  })
}

const pieces = fc.constantFrom(
  'a',
  'Zebra',
  'x1',
  '_',
  ' ',
  '-',
  '\n',
  'é',
  'ß',
  'Ж',
  'プ',
  'ラグ',
  '語',
  '한국',
  'ไทย',
  '𠮷',
  '😀',
  '،',
  'م',
  '々',
  'ー',
)

test('tokens are those of the definition, in slices as in one go', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (parts, slice) => {
      const text = parts.join('')
      const tokens = tokensOf(text)
      expect(tokens.map(({ term }) => term)).toEqual(naiveTerms(text))
      expect(tokens.map(({ position }) => position)).toEqual([...tokens.keys()])

      const sliced: Token[] = []
      const sink = collector(sliced, (token) => sliced.push(token))
      for (let at = 0; at < text.length;) at = scanTokens(text, at, Math.min(text.length, at + slice), sink)
      expect(sliced).toEqual(tokens)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['ASCII words of one length', (n: number) => 'word '.repeat(n / 5)],
  ['one word', (n: number) => 'x'.repeat(n)],
  ['one word with accents', (n: number) => 'é'.repeat(n)],
  ['a letter with marks', (n: number) => 'e' + '\u0301'.repeat(n)],
  ['marks without a letter', (n: number) => '\u0301'.repeat(n)],
  ['a kana with sound marks', (n: number) => 'か' + '\u3099'.repeat(n)],
  ['a Hangul letter with vowels', (n: number) => '\u1100' + '\u1161'.repeat(n)],
  [
    'random Han',
    (n: number) => Array.from({ length: n }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 20000))).join(''),
  ],
  ['Thai', (n: number) => 'ที่นี่'.repeat(n / 6)],
  ['half-width kana', (n: number) => 'ﾌﾟ'.repeat(n / 2)],
  ['letters that fold to many', (n: number) => '\uFDFA'.repeat(n)],
  ['surrogates without a partner', (n: number) => '\ud800'.repeat(n)],
  ['Latin and kana in turn', (n: number) => 'aア'.repeat(n / 2)],
  ['blanks', (n: number) => ' \u2028'.repeat(n / 2)],
])('%s cost linear time', (_name, make) => {
  const cost = (text: string) => {
    const before = process.threadCpuUsage()
    let count = 0
    const sink = { ascii: () => count++, folded: () => count++, closing: () => count++ }
    scanTokens(text, 0, text.length, sink)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
  const small = make(50_000)
  cost(small)
  // Quadratic work costs sixteen times as much, which is seconds. A few milliseconds may be a garbage collection.
  const excess = () => cost(make(200_000)) - cost(small) * 8
  expect(Math.min(excess(), excess())).toBeLessThan(50)
})

test('no token is longer than the limit, and none takes text of its own for a case that is folded', () => {
  const tokens = tokensOf(`${'A'.repeat(1000)} ${'É'.repeat(1000)} ${'\uFDFA'.repeat(100)}`)
  expect(tokens.map(({ term }) => term.length)).toEqual([MAX_TERM, MAX_TERM, MAX_TERM])
  expect(asciiTerm('Big', 0, 3)).toBe('big')
})
