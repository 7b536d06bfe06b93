import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { usePane } from './pane-context.ts'

type Props = { busy?: boolean; words?: 'safe' | 'unsafe'; children?: ReactNode }

/** The sheet of a pane. That of the focused pane is the main part of the page; the role alone changes with the focus. */
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

/** What stands beside the sheets: of two panes the focused one fills it. */
export function SidePanel({ children }: { children: ReactNode }) {
  const { isFocused, panel } = usePane()
  return isFocused && panel ? createPortal(children, panel) : null
}
