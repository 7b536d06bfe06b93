import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import type { TreeNode } from '../api/daemon-client.ts'
import { useNews } from '../news/news-context.ts'
import { isAtOrBelow } from './moved-path.ts'
import { focusAfterDeletion, treeKey } from './tree-keys.ts'
import { TreeLine } from './tree-line.tsx'
import { foldersAbove, treeRows } from './tree-rows.ts'
import { lineOf, useTreeDrag } from './use-tree-drag.ts'
import { useWindow } from './use-window.ts'

type Props = {
  tree: readonly TreeNode[]
  /** Path of the open file. */
  current: string | undefined
  expanded: ReadonlySet<string>
  onExpanded: (expanded: ReadonlySet<string>) => void
  onOpen: (path: string) => void
  onOpenTab: (path: string) => void
  /** A folder whose children the daemon left out is being expanded. */
  onTruncated: (path: string) => void
  /** The menu is requested, for a line or for the vault. */
  onMenu: (node: TreeNode | undefined, at: { x: number; y: number }) => void
  onRename: (path: string) => void
  /** Returns whether the file was deleted. */
  onDelete: (node: TreeNode) => Promise<boolean>
  /** A line of the tree, or files of this device, were dropped on a folder; the vault itself is the folder ''. */
  onDropped: (folder: string, what: string | readonly File[]) => void
}

/**
 * The vault's files. Only the visible lines are in the page, so focus stays on the tree itself and
 * `aria-activedescendant` names the line.
 */
export function TreeView(props: Props) {
  const { tree, current, expanded, onExpanded, onOpen, onOpenTab, onTruncated, onMenu, onRename, onDelete, onDropped } =
    props
  const rows = useMemo(() => treeRows(tree, expanded), [tree, expanded])
  const [focused, setFocused] = useState(current)
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const { first, last, rowHeight, reveal } = useWindow(scroller, rows.length)
  const { marks } = useNews()
  const focusedAt = rows.findIndex(({ node }) => node.path === focused)
  // After the deletion of the open note, the page goes to another note, but the focus stays here, at the next line. The
  // path of that note; '' until it is known.
  const [kept, setKept] = useState<string>()

  useEffect(() => {
    setKept(kept === '' ? current : undefined)
    if (current === undefined) return
    if (kept !== '') setFocused(current)
    const above = foldersAbove(current).filter((path) => !expanded.has(path))
    if (above.length > 0) onExpanded(new Set([...expanded, ...above]))
    // Only a newly opened note is revealed: a folder that the person closes over it stays closed.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [current, tree.length === 0])

  // Once for each line that gets the focus: the tree does not move when others add or remove lines above it.
  const revealed = useRef<string>(undefined)
  useEffect(() => {
    if (!scroller || focusedAt < 0 || revealed.current === focused) return
    revealed.current = focused
    reveal(focusedAt)
  }, [scroller, focused, focusedAt, reveal])

  const toggle = (path: string, open: 'expand' | 'collapse') => {
    const next = new Set(expanded)
    if (open === 'expand') next.add(path)
    else next.delete(path)
    onExpanded(next)
    const node = rows.find(({ node }) => node.path === path)?.node
    if (open === 'expand' && node?.kind === 'folder' && node.truncated) onTruncated(path)
  }

  const deleteFocused = (path: string) => {
    const deleted = rows.find(({ node }) => node.path === path)
    setFocused(focusAfterDeletion(rows, path))
    if (!deleted) return
    const isLeft = current !== undefined && isAtOrBelow(current, path)
    if (isLeft) setKept('')
    let isDeleted = false
    void onDelete(deleted.node)
      .then((done) => (isDeleted = done))
      .finally(() => isLeft && !isDeleted && setKept(undefined))
  }

  const open = (path: string) => {
    setKept(undefined)
    onOpen(path)
  }

  const openMenu = (event: MouseEvent) => {
    event.preventDefault()
    const line = lineOf(event.target)
    const asked = line ?? (event.detail === 0 ? scroller?.querySelector<HTMLElement>('.focused') : undefined)
    const row = rows.find(({ node }) => node.path === asked?.dataset['path'])
    if (row) setFocused(row.node.path)
    const box = asked?.getBoundingClientRect()
    const byKey = event.clientX === 0 && event.clientY === 0
    onMenu(row?.node, byKey && box ? { x: box.left + 24, y: box.bottom } : { x: event.clientX, y: event.clientY })
  }

  const { over, dragStart, dragOver, dragLeave, dragEnd, drop } = useTreeDrag(rows, onDropped)

  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[focusedAt]
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && row?.expanded === undefined && row) {
      event.preventDefault()
      return onOpenTab(row.node.path)
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const action = treeKey({ key: event.key, focused, rows })
    if (!action) return
    event.preventDefault()
    setFocused(action.path)
    const { action: act, path } = action
    if (act === 'activate') open(path)
    else if (act === 'rename') onRename(path)
    else if (act === 'delete') deleteFocused(path)
    else if (act !== 'focus') toggle(path, act)
  }

  return (
    <div
      ref={setScroller}
      className="tree"
      role="tree"
      aria-label="Notes"
      tabIndex={0}
      aria-activedescendant={focusedAt >= first && focusedAt < last ? `tree-line-${focusedAt}` : undefined}
      data-over={over === '' ? true : undefined}
      data-keeps-focus={kept}
      onKeyDown={onKeyDown}
      onBlur={() => setKept((path) => (path === '' ? path : undefined))}
      onContextMenu={openMenu}
      onDragStart={dragStart}
      onDragOver={dragOver}
      onDragLeave={dragLeave}
      onDragEnd={dragEnd}
      onDrop={drop}
    >
      <div className="tree-space" role="none" style={{ height: rows.length * rowHeight }}>
        {rows.slice(first, last).map((row, nth) => (
          <TreeLine
            key={row.node.path}
            id={`tree-line-${first + nth}`}
            row={row}
            news={marks.get(row.node.path)}
            top={(first + nth) * rowHeight}
            isCurrent={row.node.path === current}
            isFocused={first + nth === focusedAt}
            isOver={over !== undefined && over !== '' && row.node.path === over}
            onClick={() => {
              setFocused(row.node.path)
              if (row.expanded === undefined) open(row.node.path)
              else toggle(row.node.path, row.expanded ? 'collapse' : 'expand')
            }}
          />
        ))}
      </div>
    </div>
  )
}
