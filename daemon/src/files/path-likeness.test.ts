import { expect, test } from 'vitest'
import { mostLike, pathLikeness } from './path-likeness.ts'

test.each([
  ['a.md', 'b.md', 0],
  ['a.md', 'xa.md', 0],
  ['old/a.md', 'new/a.md', 1],
  ['a.md', 'new/a.md', 1],
  ['old/x/a.md', 'new/x/a.md', 2],
  ['old/x/a.md', 'old/y/a.md', 1],
  ['x/a.md', 'new/x/a.md', 2],
  ['old/x/a.md', 'new/xx/a.md', 1],
])('%s and %s have %i segments at the end in common', (one, other, shared) => {
  expect(Math.floor(pathLikeness(one, other))).toBe(shared)
  expect(pathLikeness(other, one)).toBe(pathLikeness(one, other))
})

test('a note is most like the one at the same place below a renamed folder, and the first if none is', () => {
  const old = ['old/a/b.md', 'old/a/c/b.md', 'old/b.md', 'old/z.md']
  const found = (path: string) => mostLike(old, (one) => 1 + pathLikeness(one, path))
  expect(['b.md', 'a/b.md', 'a/c/b.md', 'z.md'].map((name) => found(`much/new/${name}`))).toEqual([
    'old/b.md',
    'old/a/b.md',
    'old/a/c/b.md',
    'old/z.md',
  ])
  expect(found('other.md')).toBe('old/a/b.md')
  expect(mostLike(old, () => 0)).toBeUndefined()
})
