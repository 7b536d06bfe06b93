import { Suspense, useId, useRef, useState } from 'react'
import { lazyPart, loadAhead } from '../parts/lazy-part.tsx'
import { Mark } from '@svc/shared/design/mark.tsx'
import { Icon } from '../app/icon.tsx'
import { useVault } from './vault-context.ts'

// Loaded when somebody uses the menu.
const loadContent = () => import('./vault-menu-content.tsx')
const VaultMenuContent = lazyPart(loadContent)

/** The name of the open vault with a menu: the other vaults, the way back to the app, and the theme. */
export function VaultMenu() {
  const { vault } = useVault()
  const menu = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const id = useId()

  return (
    <div className="vault-menu">
      <button
        type="button"
        className="vault-name"
        popoverTarget={id}
        aria-label={`Vault ${vault.displayName}`}
        onPointerEnter={() => loadAhead(loadContent)}
        onFocus={() => loadAhead(loadContent)}
      >
        <Mark />
        <span>{vault.displayName}</span>
        <Icon name="switch" />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className="menu"
        role="group"
        aria-label="Vaults and settings"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        <Suspense fallback={<p className="menu-title">Vaults</p>}>
          {isOpen && <VaultMenuContent close={() => menu.current?.hidePopover()} />}
        </Suspense>
      </div>
    </div>
  )
}
