import { useState, type DragEvent } from 'react'
import { folderOf } from '../links/resolve-link.ts'
import type { TreeRow } from './tree-rows.ts'

const KIND = 'application/x-svc-path'

/** The line of the tree that contains an element. */
export const lineOf = (target: EventTarget): HTMLElement | undefined =>
  (target instanceof Element && target.closest<HTMLElement>('[role=treeitem]')) || undefined

/**
 * Dragging within the tree, and of files into it. A file dropped on a line goes into the folder of that line; the space
 * below the lines is the vault itself. `over` is the folder under the pointer.
 */
export function useTreeDrag(
  rows: readonly TreeRow[],
  onDropped: (folder: string, what: string | readonly File[]) => void,
) {
  const [over, setOver] = useState<string>()
  const folderAt = (event: DragEvent): string => {
    const path = lineOf(event.target)?.dataset['path']
    const node = rows.find((row) => row.node.path === path)?.node
    return node === undefined ? '' : node.kind === 'folder' ? node.path : folderOf(node.path)
  }
  const takes = ({ dataTransfer }: DragEvent) =>
    dataTransfer.types.includes(KIND) || dataTransfer.types.includes('Files')

  return {
    over,
    dragStart: (event: DragEvent) => {
      const path = lineOf(event.target)?.dataset['path']
      if (path === undefined) return
      event.dataTransfer.setData(KIND, path)
      event.dataTransfer.effectAllowed = 'move'
    },
    dragOver: (event: DragEvent) => {
      if (!takes(event)) return
      event.preventDefault()
      setOver(folderAt(event))
    },
    dragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      if (!isInside) setOver(undefined)
    },
    dragEnd: () => setOver(undefined),
    drop: (event: DragEvent) => {
      setOver(undefined)
      if (!takes(event)) return
      event.preventDefault()
      const path = event.dataTransfer.getData(KIND)
      const files = [...event.dataTransfer.files]
      if (path !== '') onDropped(folderAt(event), path)
      else if (files.length > 0) onDropped(folderAt(event), files)
    },
  }
}
