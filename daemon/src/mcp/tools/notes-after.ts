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

/**
 * The notes of a tree behind the place of a path, which is relative to the tree. A path that is there no more has the
 * place that its name gives it; an order that its folder had in the settings is forgotten. Pure.
 */
export function notesAfter(nodes: readonly TreeNode[], path: string): ListedNote[] {
  const [name = '', ...rest] = path.split('/')
  const inFolder = rest.length > 0
  const isAlike = (node: TreeNode) => (node.kind === 'folder') === inFolder
  const at = nodes.findIndex((node) => isAlike(node) && node.name === name)
  const node = nodes[at]
  if (node !== undefined) {
    const inside = node.kind === 'folder' ? notesAfter(node.children, rest.join('/')) : []
    return [...inside, ...notesIn(nodes.slice(at + 1))]
  }
  // Folders come before files.
  const before = nodes.findLastIndex((one) => (isAlike(one) ? byName(one, { name }) < 0 : !inFolder))
  return notesIn(nodes.slice(before + 1))
}
