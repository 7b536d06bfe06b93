import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { usePane } from './pane-context.ts'

type Props = { busy?: boolean; words?: 'safe' | 'unsafe'; children?: ReactNode }

/**
 * The sheet of a pane. The sheet of the focused pane is the main landmark of the page; a change of focus only changes
 * this role.
 */
export function Sheet({ busy, words, children }: Props) {
  const { isFocused } = usePane()
  return (
    <div
      className="centre"
      role={isFocused ? 'main' : 'region'}
      aria-label={isFocused ? undefined : 'Other pane'}
      aria-busy={busy}
      data-words={words}
    >
      {children}
    </div>
  )
}

/** The panel beside the sheets: of two panes the focused one fills it. */
export function SidePanel({ children }: { children: ReactNode }) {
  const { isFocused, panel } = usePane()
  return isFocused && panel ? createPortal(children, panel) : null
}
