import { useCallback } from 'react'
import { parseRoute } from '../app/route.ts'
import { useLatest } from '../app/use-latest.ts'
import type { TabFile } from './tab-store.ts'
import type { OpenVault } from '../vaults/vault-context.ts'

/**
 * Opens a link into the vault or a line of the tree in a new tab, behind the active one, on a middle click or a click
 * with Control or Command. Returns the ref for the element that contains them.
 */
export function useNewTabClicks(vaultId: string, openTab: OpenVault['openTab']) {
  const latest = useLatest({ vaultId, openTab })

  return useCallback(
    (root: HTMLElement | null) => {
      if (!root) return
      const click = (event: MouseEvent) => {
        const wanted = wantsTab(event) ? fileOf(event, latest.current.vaultId) : undefined
        if (wanted === undefined) return
        event.preventDefault()
        event.stopPropagation()
        latest.current.openTab(wanted, 'behind')
      }
      // Prevents the scrolling that a middle click would start.
      const press = (event: MouseEvent) => {
        if (event.button === 1 && fileOf(event, latest.current.vaultId) !== undefined) event.preventDefault()
      }
      root.addEventListener('click', click, true)
      root.addEventListener('auxclick', click, true)
      root.addEventListener('mousedown', press, true)
      return () => {
        root.removeEventListener('click', click, true)
        root.removeEventListener('auxclick', click, true)
        root.removeEventListener('mousedown', press, true)
      }
    },
    [latest],
  )
}

const wantsTab = ({ type, button, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean =>
  !shiftKey && (type === 'auxclick' ? button === 1 : button === 0 && (ctrlKey || metaKey))

/** The file of a click and the place in it: that of a link, or of a line of the tree. Tabs handle their own clicks. */
function fileOf({ target }: MouseEvent, vaultId: string): TabFile | undefined {
  if (!(target instanceof Element) || target.closest('.tabs')) return undefined
  const line = target.closest<HTMLElement>('[role=treeitem]:not([data-kind=folder])')
  if (line) return line.dataset['path'] === undefined ? undefined : { path: line.dataset['path'] }
  const link = target.closest('a')
  if (!link || link.origin !== window.location.origin) return undefined
  const { path, line: at, heading, ...route } = parseRoute(link)
  const isFile = route.vaultId === vaultId && route.view === undefined && path !== undefined
  return isFile ? { path, line: at, heading } : undefined
}
