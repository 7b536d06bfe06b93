import { Suspense, useMemo, type ReactNode } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import { RouteContext } from '../app/services.ts'
import { useVault, VaultContext, type Mode } from '../vaults/vault-context.ts'
import { PaneContext } from './pane-context.ts'
import type { Pane } from './workspace.ts'

// One note in one pane needs none of this.
const TabStrip = lazyPart(() => import('./tab-strip.tsx'))

type Props = {
  pane: Pane
  isFocused: boolean
  /** Which of two panes this is; undefined for a single one. */
  side: 'left' | 'right' | undefined
  mode: Mode
  onMode: (mode: Mode) => void
  panel: HTMLElement | null
  children: ReactNode
}

/** One side of the screen: its tabs, if there are two or more, over the file that it shows. */
export function PaneView({ pane, isFocused, side, mode, onMode, panel, children }: Props) {
  const openVault = useVault()
  const { tabs } = openVault
  const { id } = pane
  const mine = useMemo(() => ({ ...openVault, mode, setMode: onMode }), [openVault, mode, onMode])
  const here = useMemo(() => ({ id, isFocused, panel }), [id, isFocused, panel])
  const focus = isFocused ? undefined : () => tabs.focus(id)
  return (
    <VaultContext value={mine}>
      <PaneContext value={here}>
        <RouteContext value={tabs.routeOf(id)}>
          <div
            className="pane"
            data-pane={id}
            data-focused={isFocused}
            onPointerDownCapture={focus}
            onFocusCapture={focus}
          >
            {(side !== undefined || pane.tabs.length > 1) && (
              <Suspense fallback={<div className="tabs-coming" />}>
                <TabStrip pane={pane} side={side} />
              </Suspense>
            )}
            {children}
          </div>
        </RouteContext>
      </PaneContext>
    </VaultContext>
  )
}
