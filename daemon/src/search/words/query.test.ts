import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import { parseQuery } from './query.ts'
import { snippetsOf } from '../snippets.ts'
import { fold } from './fold.ts'
import { tokensOf } from './tokens.ts'

const limits = { limit: 3, pause: () => undefined }

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
  ['Obsidianのプラグイン ', ['obsidian のプ プラ ラグ グイ イン'], []],
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
  expect(words('prop:state="in progress" prop:"a b=c d"').filters).toEqual([
    { kind: 'prop', key: 'state', value: 'in progress', negated: false },
    { kind: 'prop', key: 'a b', value: 'c d', negated: false },
  ])
})

test('spellings of a word meet', () => {
  verifies('search.folding')
  expect(fold('Ｃａｆé')).toBe('cafe')
  expect(fold('ﬁne')).toBe('fine')
  expect(fold('Straße')).toBe(fold('STRASSE'))
  expect(fold('ガ')).not.toBe(fold('カ'))
  expect(fold('ØRSTED Łódź')).toBe('orsted lodz')
  expect(fold('ΣΊΣΥΦΟΣ')).toBe(fold('σίσυφος'))
  expect(fold('שָׁלוֹם')).toBe('שלום')
})

test('unspaced scripts become pairs, Latin words stay whole', () => {
  verifies('search.folding')
  expect(tokensOf('東京都 is big').map(({ term }) => term)).toEqual(['東京', '京都', '都', 'is', 'big'])
})

test.each([
  ['pla', 'A plan here', [[2, 6]]],
  ['"plan here"', 'A plan here', [[2, 11]]],
  ['cafe', 'Le Cafe\u0301!', [[3, 8]]],
  ['京都', 'in 東京都で', [[4, 6]]],
  ['都', 'in 東京都', [[5, 6]]],
  ['プラグイン', '公式のSyncプラグインは', [[7, 12]]],
  ['ﾌﾟﾗｸﾞｲﾝ', 'プラグイン', [[0, 5]]],
  ['プラグイン', 'ﾌﾟﾗｸﾞｲﾝ', [[0, 7]]],
])('%j is highlighted in %j', async (query, text, highlights) => {
  expect(await snippetsOf(text, parseQuery(query).must, limits)).toEqual([{ line: 1, text, highlights }])
})

test('a phrase is found across the slices of a line of megabytes, which gives way to others', async () => {
  let pauses = 0
  const pause = () => void pauses++
  const line = `${'語'.repeat(40_000)} ${'word '.repeat(40_000)}last two`
  const [snippet] = await snippetsOf(`first\n${line}`, parseQuery('"word last two"').must, { limit: 3, pause })
  expect(snippet?.line).toBe(2)
  const [start, end] = snippet!.highlights[0]!
  expect(snippet!.text.slice(start, end)).toBe('word last two')
  expect(pauses).toBeGreaterThan(10)
})

test('a long line is cut around its match and never through a character', async () => {
  const text = `${'😀'.repeat(300)} needle ${'x'.repeat(300)}`
  const [snippet] = await snippetsOf(text, parseQuery('needle').must, limits)
  const [start, end] = snippet!.highlights[0]!
  expect(snippet!.text.slice(start, end)).toBe('needle')
  expect(snippet!.text.length).toBeLessThan(250)
  expect(snippet!.text.isWellFormed()).toBe(true)
})
