import { describe, expect, it } from 'vitest'
import { fold, fuzzyMatch, queryWords } from './fuzzy-match.ts'

const match = (query: string, text: string) => fuzzyMatch(queryWords(query), fold(text))
const marked = (query: string, text: string) => match(query, text)?.ranges.map(([start, end]) => text.slice(start, end))
const best = (query: string, ...texts: string[]) =>
  texts.toSorted((one, other) => (match(query, other)?.score ?? -99) - (match(query, one)?.score ?? -99))[0]

describe('fuzzy match', () => {
  it('prefers the start of a word', () => expect(best('note', 'Footnotes', 'My notes')).toBe('My notes'))
  it('prefers the shorter text', () => expect(best('plan', 'Planning the year', 'Plan')).toBe('Plan'))
  it('finds initials', () => expect(marked('gs', 'Getting started')).toEqual(['G', 's']))
  it('takes words in any order', () => expect(marked('started get', 'Getting started')).toEqual(['Get', 'started']))
  it('overlooks case and accents', () => expect(marked('cafe', 'Un Café')).toEqual(['Café']))
  it('matches other scripts', () => expect(marked('日記', '私の日記')).toEqual(['日記']))
  it('wants every word', () => expect(match('plan zebra', 'Plan')).toBeUndefined())
  it('wants letters in order', () => expect(match('nalp', 'Plan')).toBeUndefined())
  it('is not fooled by letters strewn far apart', () =>
    expect(match('zq', 'amazing things happened before the sequel')).toBeUndefined())
  it('keeps its place after an emoji', () => expect(marked('plan', '🗺️ Plan')).toEqual(['Plan']))
})
