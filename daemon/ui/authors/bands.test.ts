import { describe, expect, it, test } from 'vitest'
import { bandsOf, placeOfBand, stackWords } from './bands.ts'

const never = () => false
const ada = { kind: 'person', id: 'usr_a', name: 'Ada' } as const
const agent = { kind: 'mcp_client', id: 'mcp_client', name: 'Archivist', person: { id: 'usr_a', name: 'Ada' } } as const
const [early, late] = ['2026-01-01T10:00:00.000Z', '2026-01-02T10:00:00.000Z']

describe('bands', () => {
  it('joins neighbours of one change', () => {
    const runs = [
      { line: 1, lines: 2, author: ada, at: early },
      { line: 3, lines: 1, author: ada, at: early },
    ]
    expect(bandsOf(runs, { since: undefined, isBlank: never })).toEqual([{ line: 1, last: 3, author: ada, at: early }])
  })
  it('keeps two changes of one author apart, and an agent from its person', () => {
    const runs = [
      { line: 1, lines: 1, author: ada, at: early },
      { line: 2, lines: 1, author: ada, at: late },
      { line: 3, lines: 1, author: agent, at: late },
    ]
    expect(bandsOf(runs, { since: undefined, isBlank: never }).map(({ line }) => line)).toEqual([1, 2, 3])
  })
  it('leaves out what is older than asked for, and what nobody is known for', () => {
    const runs = [
      { line: 1, lines: 1, author: ada, at: early },
      { line: 2, lines: 1 },
      { line: 3, lines: 1, author: ada, at: late },
    ]
    expect(bandsOf(runs, { since: early, isBlank: never }).map(({ line }) => line)).toEqual([3])
  })
  it('joins over blank lines, ends at written ones, and shows no blank line alone', () => {
    const runs = [
      { line: 1, lines: 2, author: ada, at: early },
      { line: 3, lines: 1, author: agent, at: late },
      { line: 4, lines: 1, author: ada, at: early },
    ]
    const isBlank = (line: number) => line > 1 && line < 4
    expect(bandsOf(runs, { since: undefined, isBlank })).toEqual([{ line: 1, last: 4, author: ada, at: early }])
  })
})

test('words that would lie over one another stand below one another', () => {
  const wanted = [
    { top: 0, height: 40 },
    { top: 10, height: 40 },
    { top: 200, height: 40 },
  ]
  expect(stackWords(wanted, 20)).toEqual([20, 60, 200])
})

const blocks = [
  { line: 1, top: 0, bottom: 40 },
  { line: 3, top: 50, bottom: 90 },
  { line: 7, top: 100, bottom: 140 },
]
test.each<[string, { line: number; last: number }, ReturnType<typeof placeOfBand>]>([
  ['stands beside its block', { line: 3, last: 3 }, { top: 50, bottom: 90 }],
  ['stands beside a block that begins earlier', { line: 5, last: 6 }, { top: 50, bottom: 90 }],
  ['spans all its blocks', { line: 4, last: 9 }, { top: 50, bottom: 140 }],
])('a band %s', (_what, band, place) => expect(placeOfBand(band, blocks)).toEqual(place))
test('a band of a note that shows nothing has no place', () =>
  expect(placeOfBand({ line: 1, last: 1 }, [])).toBeUndefined())
