import { expect, it } from 'vitest'
import { branchesWith, firstOf, sizeOf, tagTree, type TagBranch } from './tag-tree.ts'

const drawn = (branches: readonly TagBranch[]): unknown[] =>
  branches.map(({ name, count, below }) => [name, count, ...(below.length > 0 ? [drawn(below)] : [])])

const tree = tagTree([
  { tag: 'work/plan', count: 3 },
  { tag: 'Été', count: 1 },
  { tag: 'work', count: 2 },
  { tag: 'home/garden/2', count: 1 },
  { tag: 'home/garden/10', count: 1 },
  { tag: 'WORK/Plan', count: 4 },
])

it('nests tags, joins those that differ in case, and sorts by name', () => {
  expect(drawn(tree)).toEqual([
    ['Été', 1],
    [
      'home',
      undefined,
      [
        [
          'garden',
          undefined,
          [
            ['2', 1],
            ['10', 1],
          ],
        ],
      ],
    ],
    ['work', 2, [['plan', 7]]],
  ])
})

it('finds tags by a part of their name, with the way to them', () => {
  expect(drawn(branchesWith(tree, 'PLAN'))).toEqual([['work', 2, [['plan', 7]]]])
  expect(drawn(branchesWith(tree, 'work'))).toEqual([['work', 2, [['plan', 7]]]])
  expect(branchesWith(tree, 'nothing')).toEqual([])
})

it('shows whole branches up to a number of tags', () => {
  expect(sizeOf(tree)).toBe(7)
  expect(firstOf(tree, 5).map(({ name }) => name)).toEqual(['Été', 'home'])
  expect(firstOf(tree, 4).map(({ name }) => name)).toEqual(['Été'])
  expect(firstOf(tree, 0)).toHaveLength(1)
})

it('keeps very deep names in one piece, and ignores slashes alone', () => {
  const deep = tagTree([
    { tag: Array.from({ length: 200 }, () => 'a').join('/'), count: 1 },
    { tag: '//', count: 1 },
  ])
  expect(sizeOf(deep)).toBe(6)
})
