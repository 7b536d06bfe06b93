import { expect, test } from 'vitest'
import type { TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../../../../test/requirements.ts'
import { notesAfter, notesIn } from './notes-after.ts'

const time = '2026-01-01T00:00:00.000Z'
const note = (path: string): TreeNode => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { kind: 'note', name, path, title: name, size: 1, modifiedAt: time }
}
const folder = (path: string, ...children: TreeNode[]): TreeNode => ({
  kind: 'folder',
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  children,
})
const tree = [
  folder('B', folder('B/deep', note('B/deep/x.md')), note('B/2.md'), note('B/10.md')),
  folder('D', note('D/d.md')),
  folder('Later', note('Later/one.md')),
  note('a.md'),
  { kind: 'attachment', name: 'b.png', path: 'b.png', size: 1, modifiedAt: time } as TreeNode,
  note('C.md'),
]
const listed = notesIn(tree)
const all = listed.map(({ path }) => path)

test.each(all)('behind %s come all later notes', (path) => {
  verifies('mcp.lists-paged')
  expect(notesAfter(listed, path).map((one) => one.path)).toEqual(all.slice(all.indexOf(path) + 1))
})

test.each([
  ['a note that is gone', 'B/3.md', 'B/10.md'],
  ['a note of a subfolder that is gone', 'B/Deep-er/y.md', 'B/2.md'],
  ['a folder that is gone', 'C/c.md', 'D/d.md'],
  ['the last folder, which is gone', 'M/e.md', 'a.md'],
  ['a folder of another normal form that is gone', 'Cafe\u0301/c.md', 'D/d.md'],
  ['the last note of a folder, which is gone', 'B/99.md', 'D/d.md'],
  ['a note at the top that is gone', 'b.md', 'C.md'],
  ['the last note, which is gone', 'z.md', undefined],
])('behind %s comes the note that came behind it', (_what, path, next) => {
  verifies('mcp.lists-paged')
  expect(notesAfter(listed, path)[0]?.path).toBe(next)
})
