import { useCallback, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useServices } from '../app/services.ts'

/** `auto`: depends on the width of the window. */
type Drawer = 'auto' | 'open' | 'closed'

// The same widths as in frame.css: below them the tree, or outline and properties, lie over the note.
const TREE_BESIDE = '(min-width: 761px)'
const PANEL_BESIDE = '(min-width: 1100px)'

const isBeside = (width: string) => window.matchMedia(width).matches
const toggled = (drawer: Drawer, width: string): Drawer =>
  drawer === 'open' || (drawer === 'auto' && isBeside(width)) ? 'closed' : 'open'

/**
 * Whether the tree and the panel are shown. A choice is remembered while they are beside the note, but not while they
 * lie over it.
 */
export function useDrawers() {
  const { memory } = useServices()
  const [sidebar, setSidebar] = useState<Drawer>('auto')
  const [panel, setPanel] = useState<Drawer>(() =>
    isBeside(PANEL_BESIDE) ? memory.recall<Drawer>('panel', 'auto') : 'auto',
  )

  useEffect(() => {
    const queries = [window.matchMedia(TREE_BESIDE), window.matchMedia(PANEL_BESIDE)]
    const reset = () => {
      setSidebar('auto')
      setPanel('auto')
    }
    for (const query of queries) query.addEventListener('change', reset)
    return () => queries.forEach((query) => query.removeEventListener('change', reset))
  }, [])

  const toggleSidebar = useCallback(() => setSidebar((now) => toggled(now, TREE_BESIDE)), [])

  const togglePanel = useCallback(() => {
    // Whether it is shown by default also depends on the number of panes, so ask the page.
    const isShown = document.querySelector('.panel')?.checkVisibility() ?? false
    const next = isShown ? 'closed' : 'open'
    setPanel(next)
    if (isBeside(PANEL_BESIDE)) memory.keep('panel', next)
  }, [memory])

  /** Shows the tree's side and then gives something in it the focus. */
  const showSidebar = useCallback((focus: () => void) => {
    // Synchronously, so that keys typed right after the shortcut arrive there.
    flushSync(() => setSidebar((now) => (now === 'auto' && isBeside(TREE_BESIDE) ? now : 'open')))
    focus()
  }, [])

  /** Closes what lies over the note. */
  const uncover = useCallback(() => {
    if (!isBeside(TREE_BESIDE)) setSidebar('closed')
    if (!isBeside(PANEL_BESIDE)) setPanel('closed')
  }, [])

  // Escape closes what lies over the note, and the focus returns to the button that opened it.
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]')) return
      const covers = [sidebar === 'open' && !isBeside(TREE_BESIDE), panel === 'open' && !isBeside(PANEL_BESIDE)]
      if (!covers.includes(true)) return
      event.preventDefault()
      flushSync(uncover)
      const button = `.pane[data-focused='true'] .note-tools [data-drawer='${covers[1] ? 'panel' : 'tree'}']`
      document.querySelector<HTMLElement>(button)?.focus()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [sidebar, panel, uncover])

  return { sidebar, panel, toggleSidebar, togglePanel, showSidebar, uncover }
}
