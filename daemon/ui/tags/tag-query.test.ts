import { expect, test } from 'vitest'
import { parseQuery } from '../../src/search/words/query.ts'
import { isTags, listedTags, tagQuery } from './tag-query.ts'

test.each(['work/plan', 'machine learning', 'été', 'a\u00a0b'])(
  'the search for the tag %s means that tag alone',
  (tag) => {
    const { must, filters } = parseQuery(tagQuery(tag))
    expect({ must, filters }).toEqual({ must: [], filters: [expect.objectContaining({ kind: 'tag' })] })
    expect(filters).toEqual(parseQuery(`tag:"${tag}"`).filters)
  },
)

test('a tag of one word is written as people write it', () => {
  expect(tagQuery('work/plan')).toBe('tag:work/plan')
})

test.each([
  ['tags', 'a, b', ['a', 'b']],
  ['Tag', '#a  #b,', ['#a', '#b']],
  ['tags', 'a', 'a'],
  ['tags', 'a, ', 'a'],
  ['tags', ['machine learning', 'a'], ['machine learning', 'a']],
  ['aliases', 'a, b', 'a, b'],
  ['tags', ', ', ', '],
])('%s: %j are the tags %j', (name, value, expected) => expect(listedTags(name, value)).toEqual(expected))

test('the property of the tags has one of two names', () => {
  expect(['tags', 'Tag', 'tagged'].map(isTags)).toEqual([true, true, false])
})
