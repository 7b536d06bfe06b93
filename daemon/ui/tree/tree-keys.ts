import { isAtOrBelow } from './moved-path.ts'
import { shownName, type TreeRow } from './tree-rows.ts'

/** The action of a key in the tree. */
export type TreeAction = { action: 'focus' | 'expand' | 'collapse' | 'activate' | 'rename' | 'delete'; path: string }

const PAGE = 12

type Press = { key: string; focused: string | undefined; rows: readonly TreeRow[] }

/**
 * The tree pattern of the ARIA practices: arrows, Home, End, Page keys, Enter, F2, Delete, and the first letter of a
 * name as it is shown. While no visible line has the focus, a key can only give it to one.
 */
export function treeKey({ key, focused, rows }: Press): TreeAction | undefined {
  if (rows.length === 0) return undefined
  const at = rows.findIndex(({ node }) => node.path === focused)
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
    case 'ArrowLeft':
    case 'Enter':
    case ' ':
    case 'F2':
    case 'Delete':
      return onLine({ key, at, rows })
    default:
      return key.length === 1 ? byLetter({ key, at, rows }) : undefined
  }
}

type LinePress = { key: string; at: number; rows: readonly TreeRow[] }

/** The action of a key on the focused line. */
function onLine({ key, at, rows }: LinePress): TreeAction | undefined {
  const row = rows[at]
  if (!row) return undefined
  const { level, expanded } = row
  const { path } = row.node
  const focus = (to: TreeRow | undefined): TreeAction | undefined => to && { action: 'focus', path: to.node.path }

  switch (key) {
    case 'ArrowRight':
      if (expanded === false) return { action: 'expand', path }
      return expanded && rows[at + 1] && rows[at + 1]!.level > level ? focus(rows[at + 1]) : undefined
    case 'ArrowLeft':
      if (expanded) return { action: 'collapse', path }
      return focus(rows.findLast((above, index) => index < at && above.level < level))
    case 'F2':
      return { action: 'rename', path }
    case 'Delete':
      return { action: 'delete', path }
    default:
      if (expanded !== undefined) return { action: expanded ? 'collapse' : 'expand', path }
      return { action: 'activate', path }
  }
}

/** The line that has the focus after a deletion: the next one that stays, otherwise the one before. */
export function focusAfterDeletion(rows: readonly TreeRow[], deleted: string): string | undefined {
  const at = rows.findIndex(({ node }) => node.path === deleted)
  const next = rows.find(({ node }, index) => index > at && !isAtOrBelow(node.path, deleted))
  return (next ?? rows[at - 1])?.node.path
}

function byLetter({ key, at, rows }: LinePress): TreeAction | undefined {
  const order = [...rows.slice(at + 1), ...rows.slice(0, at + 1)]
  const found = order.find(({ node }) => shownName(node).toLowerCase().startsWith(key.toLowerCase()))
  return found && { action: 'focus', path: found.node.path }
}
