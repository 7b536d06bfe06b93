import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import type { TreeNode } from '../api/daemon-client.ts'
import { renderNote } from '../markdown/render-note.ts'
import { linkIndex } from './link-index.ts'
import { embedOf, linkToNew, markdownLink } from './link-to-file.ts'

test.each([
  ['C#.md', 'n.md', 'C#', '[C#](C%23.md)'],
  ['a/[b] (c).md', 'a/n.md', '[b] (c)', '[\\[b\\] (c)](%5Bb%5D%20%28c%29.md)'],
  ['a|b.md', 'x/y/n.md', 'a|b', '[a\\|b](../../a%7Cb.md)'],
  ['a: #b.md', 'n.md', 'a: #b', '[a: \\#b](./a:%20%23b.md)'],
])('a link to %s from %s, shown as %s, is %s', (path, from, shown, expected) => {
  verifies('ui.completion')
  expect(markdownLink({ path, from, shown })).toBe(expected)
  const node: TreeNode = { kind: 'note', name: path.split('/').at(-1)!, path, title: '', size: 1, modifiedAt: '' }
  const { html } = renderNote(expected, { vaultId: 'v', path: from, index: linkIndex([node]) })
  const href = `/v/v/${path.split('/').map(encodeURIComponent).join('/')}`
  expect(html).toContain(`<a href="${href}" class="internal">${shown}</a>`)
})

test('an attachment is embedded as a wiki link if one can hold its path, otherwise as an image', () => {
  expect(embedOf('Files/a b.png', 'x/n.md')).toBe('![[Files/a b.png]]')
  expect(embedOf('[2026] Trip/a b.png', 'n.md')).toBe('![a b.png](%5B2026%5D%20Trip/a%20b.png)')
})

const noteAt = (path: string): TreeNode => ({
  kind: 'note',
  name: path.split('/').at(-1)!,
  path,
  title: '',
  size: 1,
  modifiedAt: '',
})

test.each([
  ['by its name', 'x/Plan.md', [], '[[Plan]]'],
  ['by its path where another note has the name', 'x/Plan.md', ['Plan.md'], '[[x/Plan]]'],
  ['with its ending where that is another one', 'x/Plan.markdown', [], '[[Plan.markdown]]'],
  ['as Markdown where no wiki link can hold the path', '[x]/Plan.md', ['Plan.md'], '[Plan](../%5Bx%5D/Plan.md)'],
])('a new note is linked %s', (_how, added, paths, expected) => {
  verifies('ui.dropped-notes')
  expect(linkToNew(added, { index: linkIndex(paths.map(noteAt)), path: 'x/n.md' })).toBe(expected)
})
