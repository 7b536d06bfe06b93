import type { TreeNode } from '../api/daemon-client.ts'

/** The paths of all folders of a tree, outer ones first. */
export function folderPaths(tree: readonly TreeNode[]): string[] {
  return tree.flatMap((node) => (node.kind === 'folder' ? [node.path, ...folderPaths(node.children)] : []))
}
