import type { TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { byName } from '../../notes/name-order.ts'

export type ListedNote = { path: string; title: string; size: number; modifiedAt: string }

/** All notes of a tree, in its order. Pure. */
export function notesIn(nodes: readonly TreeNode[]): ListedNote[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'folder') return notesIn(node.children)
    if (node.kind === 'attachment') return []
    const { path, title, size, modifiedAt } = node
    return [{ path, title, size, modifiedAt }]
  })
}

/** The notes behind the place of a path, which may be gone, in a list whose order is that of the names. Pure. */
export function notesAfter(notes: readonly ListedNote[], path: string): readonly ListedNote[] {
  let [from, to] = [0, notes.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (byPath(notes[middle]!.path, path) > 0) to = middle
    else from = middle + 1
  }
  return notes.slice(from)
}

/** The order of the files of a tree: in each folder by name, after what is in its folders. */
function byPath(one: string, other: string): number {
  const [names, others] = [one.split('/'), other.split('/')]
  for (const [depth, name] of names.entries()) {
    const [isFile, isOtherFile] = [depth === names.length - 1, depth >= others.length - 1]
    if (isFile !== isOtherFile) return isFile ? 1 : -1
    const otherName = others[depth] ?? ''
    if (name !== otherName) return byName({ name }, { name: otherName })
  }
  return 0
}
