import type { TreeNode } from '../api/daemon-client.ts'
import { withoutExtension } from '../links/link-index.ts'

/** One visible line of the tree, with what a screen reader needs to know about its position. */
export type TreeRow = { node: TreeNode; level: number; position: number; setSize: number; expanded?: boolean }

/** The lines that are visible while exactly these folders are expanded. */
export function treeRows(nodes: readonly TreeNode[], expanded: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = []
  const add = (siblings: readonly TreeNode[], level: number) =>
    siblings.forEach((node, at) => {
      const place = { node, level, position: at + 1, setSize: siblings.length }
      if (node.kind !== 'folder') return void rows.push(place)
      const open = expanded.has(node.path)
      rows.push({ ...place, expanded: open })
      if (open) add(node.children, level + 1)
    })
  add(nodes, 1)
  return rows
}

/** What a line shows: the name of a note without its ending, that of a folder as folders.yml has it. */
export function shownName(node: TreeNode): string {
  if (node.kind === 'folder') return node.displayName ?? node.name
  return node.kind === 'note' ? withoutExtension(node.name) : node.name
}

/** The folders above a path, outermost first. */
export function foldersAbove(path: string): string[] {
  const segments = path.split('/').slice(0, -1)
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'))
}

/** Adds the children of one folder, which were loaded later, to the tree. */
export function withChildren(nodes: readonly TreeNode[], path: string, children: TreeNode[]): TreeNode[] {
  return nodes.map((node) => {
    if (node.kind !== 'folder') return node
    if (node.path === path) return { ...node, children, truncated: false }
    return path.startsWith(`${node.path}/`) ? { ...node, children: withChildren(node.children, path, children) } : node
  })
}
