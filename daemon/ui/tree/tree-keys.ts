import type { TreeRow } from './tree-rows.ts'

/** The action of a key in the tree. */
export type TreeAction = { action: 'focus' | 'expand' | 'collapse' | 'activate' | 'rename' | 'delete'; path: string }

const PAGE = 12

type Press = { key: string; focused: string | undefined; rows: readonly TreeRow[] }

/**
 * The tree pattern of the ARIA practices: arrows, Home, End, Page keys, Enter, F2, Delete, and the first letter of a
 * name.
 */
export function treeKey({ key, focused, rows }: Press): TreeAction | undefined {
  const at = Math.max(
    0,
    rows.findIndex(({ node }) => node.path === focused),
  )
  const row = rows[at]
  if (!row) return undefined
  const { node, level, expanded } = row
  const focus = (to: number): TreeAction => ({
    action: 'focus',
    path: rows[Math.min(Math.max(to, 0), rows.length - 1)]!.node.path,
  })

  switch (key) {
    case 'ArrowDown':
      return focus(at + 1)
    case 'ArrowUp':
      return focus(at - 1)
    case 'PageDown':
      return focus(at + PAGE)
    case 'PageUp':
      return focus(at - PAGE)
    case 'Home':
      return focus(0)
    case 'End':
      return focus(rows.length - 1)
    case 'ArrowRight':
      if (expanded === false) return { action: 'expand', path: node.path }
      return expanded && rows[at + 1] && rows[at + 1]!.level > level ? focus(at + 1) : undefined
    case 'ArrowLeft':
      if (expanded) return { action: 'collapse', path: node.path }
      return focus(rows.findLastIndex((above, index) => index < at && above.level < level))
    case 'Enter':
    case ' ':
      if (expanded !== undefined) return { action: expanded ? 'collapse' : 'expand', path: node.path }
      return { action: 'activate', path: node.path }
    case 'F2':
      return { action: 'rename', path: node.path }
    case 'Delete':
      return { action: 'delete', path: node.path }
    default:
      return key.length === 1 ? byLetter({ key, at, rows }) : undefined
  }
}

function byLetter({ key, at, rows }: { key: string; at: number; rows: readonly TreeRow[] }): TreeAction | undefined {
  const order = [...rows.slice(at + 1), ...rows.slice(0, at + 1)]
  const found = order.find(({ node }) => node.name.toLowerCase().startsWith(key.toLowerCase()))
  return found && { action: 'focus', path: found.node.path }
}
