import { useId, useRef } from 'react'
import { ThemeChoice } from '@svc/shared/design/theme-choice.tsx'
import type { VaultSummary, Who } from '../api/daemon-client.ts'
import { Icon } from '../app/icon.tsx'
import { Mark } from '@svc/shared/design/mark.tsx'
import { useServices } from '../app/services.ts'
import { useVault } from './vault-context.ts'

type Props = { vaults: readonly VaultSummary[]; who: Who }

/** The name of the open vault, and behind it the other vaults, who is here, and how the pages look. */
export function VaultMenu({ vaults, who }: Props) {
  const { navigation } = useServices()
  const { vault, show } = useVault()
  const menu = useRef<HTMLDivElement>(null)
  const id = useId()
  const close = () => menu.current?.hidePopover()

  return (
    <div className="vault-menu">
      <button type="button" className="vault-name" popoverTarget={id} aria-label={`Vault ${vault.displayName}`}>
        <Mark />
        <span>{vault.displayName}</span>
        <Icon name="switch" />
      </button>
      <div ref={menu} id={id} popover="auto" className="menu" aria-label="Vaults and settings">
        <ul className="plain-list">
          {vaults.map(({ id: other, displayName }) => (
            <li key={other}>
              <button
                type="button"
                className="menu-row"
                aria-current={other === vault.id ? 'true' : undefined}
                onClick={() => {
                  close()
                  navigation.open({ vaultId: other })
                }}
              >
                {other === vault.id ? <Icon name="check" /> : <i className="menu-gap" />}
                <span>{displayName}</span>
              </button>
            </li>
          ))}
        </ul>
        {who.mode === 'local' && (
          <button
            type="button"
            className="menu-row"
            onClick={() => {
              close()
              show('new-vault')
            }}
          >
            <Icon name="plus" />
            <span>New vault</span>
          </button>
        )}
        <ThemeChoice className="menu-themes" name={`${id}-theme`} />
        {who.person && <p className="menu-person">Signed in as {who.person.name}</p>}
      </div>
    </div>
  )
}
