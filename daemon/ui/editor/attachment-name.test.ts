import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../api/daemon-client.ts'
import { linkIndex } from '../links/link-index.ts'
import { attachmentName } from './attachment-name.ts'

const now = new Date(2026, 10, 22, 9, 5, 7)
const file = (path: string): TreeNode => {
  const common = { name: path.split('/').at(-1)!, path, size: 1, modifiedAt: '2026-01-01T00:00:00Z' }
  return path.endsWith('.md') ? { kind: 'note', ...common, title: '' } : { kind: 'attachment', ...common }
}
const named = (name: string, ...paths: string[]) =>
  attachmentName({ index: linkIndex(paths.map(file)), path: 'a/Note.md' }, name, now)

describe('names of pasted files', () => {
  it.each([
    ['beside the note where there are none yet', 'plan.pdf', [], 'a/plan.pdf'],
    ['in the folder that has most', 'plan.pdf', ['Files/x.png', 'Files/y.png', 'b/z.png'], 'Files/plan.pdf'],
    ['beside the note for a note', 'Plan.md', ['Files/x.png', 'Files/y.png'], 'a/Plan.md'],
    ['with a number where the name is taken', 'x.png', ['Files/x.png', 'Files/x 2.png'], 'Files/x 3.png'],
    ['after the time where the clipboard has no name', 'image.png', [], 'a/Pasted image 2026-11-22 09.05.07.png'],
    ['without signs of paths and links', '../a[b]#c|d.png', [], 'a/a b c d.png'],
    ['without a leading dot', '.hidden.png', [], 'a/hidden.png'],
    ['with a name at all', '.png', [], 'a/Pasted image 2026-11-22 09.05.07.png'],
  ])('%s', (_name, name, paths, expected) => expect(named(name, ...paths)).toBe(expected))
})
