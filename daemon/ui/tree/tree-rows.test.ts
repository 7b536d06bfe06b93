import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import type { TreeNode } from '../api/daemon-client.ts'
import { focusAfterDeletion, treeKey } from './tree-keys.ts'
import { foldersAbove, treeRows, withChildren } from './tree-rows.ts'

const note = (path: string): TreeNode => ({
  kind: 'note',
  name: path.split('/').at(-1)!,
  path,
  size: 1,
  modifiedAt: '2026-01-01T00:00:00Z',
  title: path,
})
const folder = (path: string, ...children: TreeNode[]): TreeNode => ({
  kind: 'folder',
  name: path.split('/').at(-1)!,
  path,
  children,
})

const tree = [folder('a', folder('a/c', note('a/c/y.md'))), folder('b', note('b/x.md')), note('2.md'), note('10.md')]
const shown = (...expanded: string[]) => treeRows(tree, new Set(expanded))
const paths = (...expanded: string[]) => shown(...expanded).map(({ node }) => node.path)

describe('tree rows', () => {
  it('show the children of expanded folders alone', () => {
    expect(paths('a', 'a/c')).toEqual(['a', 'a/c', 'a/c/y.md', 'b', '2.md', '10.md'])
    expect(paths('a/c')).toEqual(['a', 'b', '2.md', '10.md'])
  })

  it('know their place', () => {
    expect(shown('a')[1]).toMatchObject({ level: 2, position: 1, setSize: 1, expanded: false })
  })

  it('take children that come later', () => {
    const grown = withChildren(tree, 'a/c', [note('a/c/z.md')])
    expect(treeRows(grown, new Set(['a', 'a/c'])).map(({ node }) => node.path)).toContain('a/c/z.md')
  })

  it('are revealed by the folders above them', () => expect(foldersAbove('a/c/y.md')).toEqual(['a', 'a/c']))
})

describe('tree keys', () => {
  it.each([
    ['ArrowDown', 'b', { action: 'focus', path: '2.md' }],
    ['ArrowUp', 'a', { action: 'focus', path: 'a' }],
    ['End', 'a', { action: 'focus', path: '10.md' }],
    ['Home', '2.md', { action: 'focus', path: 'a' }],
    ['ArrowRight', 'b', { action: 'expand', path: 'b' }],
    ['ArrowRight', 'a', { action: 'focus', path: 'a/c' }],
    ['ArrowRight', '2.md', undefined],
    ['ArrowLeft', 'a', { action: 'collapse', path: 'a' }],
    ['ArrowLeft', 'a/c', { action: 'focus', path: 'a' }],
    ['ArrowLeft', 'b', undefined],
    ['ArrowLeft', '10.md', undefined],
    ['Enter', '2.md', { action: 'activate', path: '2.md' }],
    ['Enter', 'b', { action: 'expand', path: 'b' }],
    ['1', 'a', { action: 'focus', path: '10.md' }],
    ['b', '2.md', { action: 'focus', path: 'b' }],
    ['z', 'a', undefined],
  ])('%s on %s', (key, focused, expected) => expect(treeKey({ key, focused, rows: shown('a') })).toEqual(expected))

  it('find a folder by its shown name, not by the name on disk', () => {
    verifies('ui.tree-order')
    const named: TreeNode = { ...folder('01-projects'), displayName: 'Projects' } as TreeNode
    const rows = treeRows([named, note('a.md')], new Set())
    expect(treeKey({ key: 'p', focused: 'a.md', rows })).toEqual({ action: 'focus', path: '01-projects' })
    expect(treeKey({ key: '0', focused: 'a.md', rows })).toBeUndefined()
  })

  it.each<[string, ReturnType<typeof treeKey>]>([
    ['ArrowDown', { action: 'focus', path: 'a' }],
    ['ArrowUp', { action: 'focus', path: 'a' }],
    ['Home', { action: 'focus', path: 'a' }],
    ['End', { action: 'focus', path: '10.md' }],
    ['a', { action: 'focus', path: 'a' }],
    ['ArrowRight', undefined],
    ['ArrowLeft', undefined],
    ['Enter', undefined],
    [' ', undefined],
    ['F2', undefined],
    ['Delete', undefined],
  ])('%s changes no file or folder while no visible line has the focus', (key, expected) => {
    for (const focused of [undefined, 'a/c/y.md', 'gone.md'])
      expect(treeKey({ key, focused, rows: shown('a') })).toEqual(expected)
  })

  it.each([
    ['an expanded folder', 'a', ['a', 'a/c'], 'b'],
    ['a folder in a folder', 'a/c', ['a', 'a/c'], 'b'],
    ['a closed folder', 'a', [], 'b'],
    ['a file', '2.md', [], '10.md'],
    ['the last line', '10.md', ['a'], '2.md'],
    ['the last file of a folder', 'a/c/y.md', ['a', 'a/c'], 'b'],
  ])('give the focus to a line that stays after the deletion of %s', (_what, deleted, expanded, next) =>
    expect(focusAfterDeletion(shown(...expanded), deleted)).toBe(next),
  )

  it('give the focus to no line after the deletion of the only one', () =>
    expect(focusAfterDeletion(treeRows([folder('a', note('a/x.md'))], new Set(['a'])), 'a')).toBeUndefined())

  it('do nothing in an empty tree', () => expect(treeKey({ key: 'End', focused: undefined, rows: [] })).toBeUndefined())
})
