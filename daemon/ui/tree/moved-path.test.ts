import { expect, test } from 'vitest'
import { isAtOrBelow, movedPath, pathInFolder, renameRange } from './moved-path.ts'

test.each([
  ['a.md', 'a.md', true],
  ['f/a.md', 'f', true],
  ['folder/a.md', 'f', false],
  ['f', 'f/a.md', false],
])('%s is at or below %s: %s', (path, above, is) => expect(isAtOrBelow(path, above)).toBe(is))

test('what lies in a moved folder moves along', () => {
  expect(movedPath('f/g/a.md', { from: 'f', to: 'x/f' })).toBe('x/f/g/a.md')
  expect(movedPath('other.md', { from: 'f', to: 'x/f' })).toBe('other.md')
})

test('a file keeps its name in another folder', () => {
  expect([pathInFolder('f/a.md', 'g/h'), pathInFolder('f/a.md', '')]).toEqual(['g/h/a.md', 'a.md'])
})

test.each([
  ['f/Name.md', 'Name'],
  ['Name', 'Name'],
  ['f/picture.png', 'picture.png'],
])('of %s a person renames %s', (path, part) => expect(path.slice(...renameRange(path))).toBe(part))
