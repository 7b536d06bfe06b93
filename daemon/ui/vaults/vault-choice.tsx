import { useEffect, useState } from 'react'
import type { VaultSummary, Who } from '../api/daemon-client.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { Icon } from '../app/icon.tsx'
import { Mark } from '@svc/shared/design/mark.tsx'
import { useRoute, useServices } from '../app/services.ts'
import { Refusal } from '../api/refusal.ts'
import { NewVaultDialog } from './new-vault-dialog.tsx'
import { VaultView } from './vault-view.tsx'

const LAST = 'last-vault'

/** Reads which vaults there are, opens the one of the address, and otherwise lets the person choose. */
export function VaultChoice({ who }: { who: Who }) {
  const { client, memory, navigation } = useServices()
  const { vaultId } = useRoute()
  const entered = who.vaults ?? []
  const [vaults, reload] = useLoaded(`vaults ${who.mode} ${entered.join(' ')}`, (signal) =>
    who.mode === 'local' ? client.listVaults(signal) : Promise.all(entered.map((id) => client.readVault(id, signal))),
  )
  const known = vaults.state === 'ready' ? vaults.value : undefined
  const open = known?.find(({ id }) => id === vaultId)

  useEffect(() => {
    if (open) memory.keep(LAST, open.id)
  }, [open, memory])

  useEffect(() => {
    if (!known || vaultId !== undefined) return
    const last = memory.recall(LAST, '')
    const target = known.find(({ id }) => id === last) ?? (known.length === 1 ? known[0] : undefined)
    if (target) navigation.replace({ vaultId: target.id })
  }, [known, vaultId, memory, navigation])

  if (vaults.state === 'loading') return <main className="full-page" aria-busy="true" />
  if (vaults.state === 'refused')
    return (
      <main className="full-page">
        <FailureNotice refusal={vaults.refusal} retryInSeconds={vaults.retryInSeconds} onRetry={reload} />
      </main>
    )
  if (open) return <VaultView key={open.id} vault={open} vaults={vaults.value} who={who} onVaultsChanged={reload} />
  return <VaultList who={who} vaults={vaults.value} missing={vaultId} onVaultsChanged={reload} />
}

type ListProps = { who: Who; vaults: readonly VaultSummary[]; missing: string | undefined; onVaultsChanged: () => void }

function VaultList({ who, vaults, missing, onVaultsChanged }: ListProps) {
  const { navigation } = useServices()
  const [creating, setCreating] = useState(false)
  return (
    <main className="full-page">
      <div className="vault-list">
        {missing !== undefined && <FailureNotice refusal={noSuchVault} />}
        <h1>{vaults.length === 0 ? 'No vault yet' : 'Vaults'}</h1>
        <ul>
          {vaults.map(({ id, displayName }) => (
            <li key={id}>
              <button type="button" className="vault-card" onClick={() => navigation.open({ vaultId: id })}>
                <Mark />
                <span>{displayName}</span>
                <span className="quiet">{id}</span>
              </button>
            </li>
          ))}
        </ul>
        {who.mode === 'local' && (
          <button type="button" className="button primary" onClick={() => setCreating(true)}>
            <Icon name="plus" /> New vault
          </button>
        )}
        {who.mode === 'relayed' && vaults.length === 0 && <p>Open a vault from the app to enter it here.</p>}
      </div>
      {creating && (
        <NewVaultDialog
          onClose={() => setCreating(false)}
          onCreated={(vaultId) => {
            onVaultsChanged()
            setCreating(false)
            navigation.open({ vaultId })
          }}
        />
      )}
    </main>
  )
}

const noSuchVault = new Refusal({ code: 'not_found', message: 'There is no such vault, or you have not entered it.' })
