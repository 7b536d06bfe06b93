import { expect, test } from 'vitest'
import { settleFolders } from './settle-folders.ts'

const folder = (
  path: string,
  to: string | undefined,
  names: string[],
  there: 'free' | 'folder' | 'taken' = 'free',
) => ({
  path,
  to,
  names,
  there,
})
const settled = (
  folders: ReturnType<typeof folder>[],
  { leaving = [], arriving = [] }: { leaving?: string[]; arriving?: string[] } = {},
) => {
  const { met, unmet } = settleFolders(folders, { leaving: new Set(leaving), arriving })
  return [met.map((one) => [one.folder.path, one.isEmptied]), unmet.map(({ path }) => path)]
}

test('a folder from which all leaves is emptied, with the folders in it', () => {
  const folders = [folder('y', 'x', ['a.md', 's']), folder('y/s', 'x/s', ['b.png'])]
  const leaving = ['y/a.md', 'y/s/b.png']
  expect(settled(folders, { leaving, arriving: ['x/a.md', 'x/s/b.png'] })).toEqual([
    [
      ['y', true],
      ['y/s', true],
    ],
    [],
  ])
})

test('what stays, and what comes, keeps a folder', () => {
  expect(settled([folder('y', 'x', ['theirs.png'])])).toEqual([[['y', false]], []])
  expect(settled([folder('y', 'x', [])], { arriving: ['y/deep/b.md'] })).toEqual([[['y', false]], []])
  expect(settled([folder('y', 'y/in', [])])).toEqual([[['y', false]], []])
})

test('a folder that is back already needs nothing but the removal of an empty one', () => {
  expect(settled([folder('y', 'x', [], 'folder')])).toEqual([[['y', true]], []])
  expect(settled([folder('y', 'x', ['theirs.png'], 'folder')])).toEqual([[], []])
})

test('a folder whose path a file has stays', () => {
  expect(settled([folder('y', 'x', [], 'taken')])).toEqual([[], ['y']])
})

test('a folder that a move made is removed if all that is in it leaves, and never one that was empty before', () => {
  const made = [folder('new', undefined, ['deep']), folder('new/deep', undefined, ['a.md'])]
  expect(settled(made, { leaving: ['new/deep/a.md'] })).toEqual([
    [
      ['new', true],
      ['new/deep', true],
    ],
    [],
  ])
  expect(settled([folder('new', undefined, ['a.md', 'theirs.md'])], { leaving: ['new/a.md'] })).toEqual([[], []])
  expect(settled([folder('new', undefined, [])])).toEqual([[], []])
  expect(settled([folder('new', undefined, ['a.md'])], { leaving: ['new/a.md'], arriving: ['new/b.md'] })).toEqual([
    [],
    [],
  ])
})
