import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../api/daemon-client.ts'
import { treeKey } from './tree-keys.ts'
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
    ['Enter', '2.md', { action: 'activate', path: '2.md' }],
    ['Enter', 'b', { action: 'expand', path: 'b' }],
    ['1', 'a', { action: 'focus', path: '10.md' }],
    ['b', '2.md', { action: 'focus', path: 'b' }],
    ['z', 'a', undefined],
  ])('%s on %s', (key, focused, expected) => expect(treeKey({ key, focused, rows: shown('a') })).toEqual(expected))

  it('do nothing in an empty tree', () => expect(treeKey({ key: 'End', focused: undefined, rows: [] })).toBeUndefined())
})
