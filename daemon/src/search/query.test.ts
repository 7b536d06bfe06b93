import { expect, test } from 'vitest'
import { parseQuery } from './query.ts'
import { snippetsOf } from './snippets.ts'
import { fold, tokensOf } from './tokens.ts'

const words = (text: string) => {
  const { must, mustNot, filters } = parseQuery(text)
  const shown = (phrase: (typeof must)[number]) =>
    phrase.terms.map(({ term }) => term).join(' ') + (phrase.prefix ? '*' : '')
  return { must: must.map(shown), not: mustNot.map(shown), filters }
}

test.each([
  ['apple pie', ['apple', 'pie*'], []],
  ['apple pie ', ['apple', 'pie'], []],
  ['"Apple Pie" -crust', ['apple pie'], ['crust']],
  ['-"apple pie" x', ['x'], ['apple pie']],
  ['foo-bar', ['foo bar*'], []],
  ['"open phrase', ['open phrase'], []],
  ['東京都', ['東京 京都*'], []],
  ['', [], []],
  ['- ""', [], []],
])('%j', (text, must, not) => expect(words(text)).toMatchObject({ must, not }))

test('filters are told from words', () => {
  expect(words('path:notes/ -tag:#Done title:"My Plan" prop:status=Open prop:due x:y').filters).toEqual([
    { kind: 'path', value: 'notes/', negated: false },
    { kind: 'tag', value: 'done', negated: true },
    { kind: 'title', value: 'my plan', negated: false },
    { kind: 'prop', key: 'status', value: 'open', negated: false },
    { kind: 'prop', key: 'due', value: undefined, negated: false },
  ])
})

test('spellings of a word meet', () => {
  expect(fold('Ｃａｆé')).toBe('cafe')
  expect(fold('ﬁne')).toBe('fine')
  expect(fold('Straße')).toBe(fold('STRASSE'))
  expect(fold('ガ')).not.toBe(fold('カ'))
})

test('unspaced scripts become pairs, Latin words stay whole', () => {
  expect(Array.from(tokensOf('東京都 is big'), ({ term }) => term)).toEqual(['東京', '京都', '都', 'is', 'big'])
})

test.each([
  ['pla', 'A plan here', [[2, 6]]],
  ['"plan here"', 'A plan here', [[2, 11]]],
  ['cafe', 'Le Cafe\u0301!', [[3, 8]]],
  ['京都', 'in 東京都で', [[4, 6]]],
  ['都', 'in 東京都', [[5, 6]]],
])('%j is highlighted in %j', (query, text, highlights) => {
  expect(snippetsOf(text, parseQuery(query).must, 3)).toEqual([{ line: 1, text, highlights }])
})

test('a long line is cut around its match and never through a character', () => {
  const [snippet] = snippetsOf(`${'😀'.repeat(300)} needle ${'x'.repeat(300)}`, parseQuery('needle').must, 1)
  const [start, end] = snippet!.highlights[0]!
  expect(snippet!.text.slice(start, end)).toBe('needle')
  expect(snippet!.text.length).toBeLessThan(250)
  expect(snippet!.text.isWellFormed()).toBe(true)
})
