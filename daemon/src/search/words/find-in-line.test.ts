import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findInLine } from './find-in-line.ts'
import { parseQuery, type Phrase } from './query.ts'
import { tokensOf } from './tokens.ts'

const find = (query: string, line: string) => findInLine(parseQuery(query).must)(line)

test('phrases are found in a line of ASCII, in any case', () => {
  expect(find('plan ', 'We Plan, planned and PLAN')).toEqual([
    [3, 7],
    [21, 25],
  ])
  expect(find('plan', 'We Plan, planned')).toEqual([
    [3, 7],
    [9, 16],
  ])
  expect(find('"plan ahead"', 'Plan -- ahead of a plan')).toEqual([[0, 13]])
  expect(find('"a a"', 'a a a')).toEqual([
    [0, 3],
    [2, 5],
  ])
  expect(find('café ', 'cafe')).toEqual([[0, 4]])
  expect(find('京都', 'Kyoto')).toEqual([])
})

test('a line with more than ASCII is taken apart only if it may hold a phrase', () => {
  expect(find('cafe ', 'Am Montag im Café')).toBe('unknown')
  expect(find('cafe ', 'Am Montag im Büro')).toEqual([])
  expect(find('"plan ahead"', 'We plan für Büros')).toEqual([])
  expect(find('plan ahead ', 'We plan für Büros')).toBe('unknown')
  expect(find('京都', '東京都へ行く')).toBe('unknown')
  expect(find('plan ', 'a'.repeat(20_000))).toBe('unknown')
})

/** The places of a phrase in a text, found word by word. */
function placesByWords(text: string, { terms, prefix }: Phrase): [number, number][] {
  const tokens = tokensOf(text)
  return tokens.flatMap(({ start }, index): [number, number][] => {
    const isHere = terms.every(({ term, offset }, at) => {
      const found = tokens[index + offset]?.term
      return prefix && at === terms.length - 1 ? found?.startsWith(term) : found === term
    })
    return isHere ? [[start, tokens[index + terms.at(-1)!.offset]!.end]] : []
  })
}

test('in ASCII, what is found is what the words of the line say', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'A', 'ab', 'B_1', ' ', ', ', '-', '"', 'c'.repeat(70)), { maxLength: 20 })
    .map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, text, (line, query) => {
      const phrases = parseQuery(query).must
      const expected = phrases.flatMap((phrase) => placesByWords(line, phrase))
      expect(findInLine(phrases)(line)).toEqual(expected)
    }),
    { numRuns: 3000 },
  )
})

const PIECES = [
  ..."abCSIßæŁıİΣσςΟéÉñ_09 '-.",
  'e\u0301',
  'a\u0323\u0301',
  '\u0301',
  'ﬁ',
  'ｃａ',
  'Å',
  '½',
  'ﷺ',
  'ﹰ',
  '\u20DD',
  'й',
  'क्षि',
  'שָׁ',
  'عَ',
  '東京',
  'ガ',
  'ｶﾞ',
  '한',
  'ไทย',
  '𝔄',
  'a'.repeat(70),
  'ä'.repeat(130),
  `o${'\u0301'.repeat(300)}`,
]

test('no line that holds a word is ruled out', () => {
  const line = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme', maxLength: 3 })), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(line, fc.nat(), fc.nat(), (pieces, which, length) => {
      const text = pieces.join('')
      const tokens = tokensOf(text)
      const token = tokens[which % Math.max(1, tokens.length)]
      if (token === undefined) return
      const terms = [{ term: token.term, offset: 0 }]
      expect(findInLine([{ terms, prefix: false }])(text)).not.toEqual([])
      const start = token.term.slice(0, 1 + (length % token.term.length))
      expect(findInLine([{ terms: [{ term: start, offset: 0 }], prefix: true }])(text)).not.toEqual([])
    }),
    { numRuns: 2000 },
  )
})
