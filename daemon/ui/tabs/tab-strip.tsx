import '../styles/tabs.css'
import { useEffect, useRef, useSyncExternalStore, type DragEvent } from 'react'
import { Icon } from '../app/icon.tsx'
import { formatRoute } from '../app/route.ts'
import { useRoute } from '../app/services.ts'
import { withoutExtension } from '../links/link-index.ts'
import { useVault } from '../vaults/vault-context.ts'
import { tabNames } from './tab-names.ts'
import { closeTab, dropTab, join } from './tab-changes.ts'
import type { Pane } from './workspace.ts'

const DRAGGED = 'application/x-svc-tab'

/** The open files of a pane as links, with buttons to close them. A middle click closes, a drag moves. */
export default function TabStrip({ pane, side }: { pane: Pane; side: 'left' | 'right' | undefined }) {
  const { vault, sessions, tabs } = useVault()
  const { path: shown, view } = useRoute()
  const unsaved = useSyncExternalStore(sessions.subscribe, sessions.unsaved)
  const current = useRef<HTMLLIElement>(null)
  const names = tabNames(pane.tabs)

  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    // eslint-disable-next-line react/exhaustive-effect-dependencies -- another tab, or another number of them, moves it
  }, [shown, pane.tabs.length])

  const close = (path: string) => {
    tabs.focus(pane.id)
    tabs.change((now) => closeTab(now, path))
  }
  const drop = (event: DragEvent, before: string | undefined) => {
    const [from, path] = event.dataTransfer.getData(DRAGGED).split('\n')
    if (path === undefined) return
    event.preventDefault()
    event.stopPropagation()
    tabs.change((now) => dropTab(now, { path, from: from === '1' ? 1 : 0, to: pane.id, before }))
  }
  const over = (event: DragEvent) => {
    if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault()
  }

  return (
    <nav className="tabs" aria-label={side === undefined ? 'Open notes' : `Open notes on the ${side}`}>
      <ul onDragOver={over} onDrop={(event) => drop(event, undefined)}>
        {pane.tabs.map((path, nth) => {
          const name = withoutExtension(path.split('/').at(-1)!)
          const isCurrent = path === shown
          const notSaved = unsaved.includes(path)
          return (
            <li
              key={path}
              ref={isCurrent ? current : undefined}
              className="tab"
              data-current={isCurrent}
              draggable
              onDragStart={(event) => event.dataTransfer.setData(DRAGGED, `${pane.id}\n${path}`)}
              onDrop={(event) => drop(event, path)}
              onAuxClick={(event) => {
                if (event.button !== 1) return
                event.preventDefault()
                event.stopPropagation()
                close(path)
              }}
            >
              <a
                href={formatRoute({ vaultId: vault.id, path })}
                title={path}
                aria-current={isCurrent ? 'page' : undefined}
                onClick={(event) => {
                  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
                  event.preventDefault()
                  if (!isCurrent || view !== undefined) tabs.go(pane.id, path)
                }}
              >
                {names[nth]}
                {notSaved && <span className="tab-unsaved"> (not saved)</span>}
              </a>
              <button type="button" className="tab-close" aria-label={`Close ${name}`} onClick={() => close(path)}>
                <Icon name="close" />
              </button>
            </li>
          )
        })}
      </ul>
      {side === 'right' && (
        <button
          type="button"
          className="icon-button"
          aria-label="One pane again"
          title="One pane again (Alt+S)"
          onClick={() => tabs.change(join)}
        >
          <Icon name="close" />
        </button>
      )}
    </nav>
  )
}
