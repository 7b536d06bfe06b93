import type { VaultSummary, Who } from '../api/daemon-client.ts'
import { Icon } from '../app/icon.tsx'
import { useServices } from '../app/services.ts'
import { useVault } from './vault-context.ts'

type Props = { vaults: readonly VaultSummary[]; who: Who }

/** The name of the open vault, which is also the way to the others. */
export function VaultSwitcher({ vaults, who }: Props) {
  const { navigation } = useServices()
  const { vault, show } = useVault()
  return (
    <div className="vault-switcher">
      <Icon name="vault" />
      <label className="vault-select">
        <span className="sr-only">Vault</span>
        <select value={vault.id} onChange={(event) => navigation.open({ vaultId: event.target.value })}>
          {vaults.map(({ id, displayName }) => (
            <option key={id} value={id}>
              {displayName}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </label>
      {who.mode === 'local' && (
        <button
          type="button"
          className="icon-button"
          aria-label="New vault"
          title="New vault"
          onClick={() => show('new-vault')}
        >
          <Icon name="plus" />
        </button>
      )}
    </div>
  )
}
