import { useEffect, useState } from 'react'
import { Mark } from '@svc/shared/design/mark.tsx'
import type { PersonHere } from '@svc/shared/wire/person.api.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { Icon } from '../app/icon.tsx'
import { useRoute, useServices } from '../app/services.ts'
import { Refusal } from '../api/refusal.ts'
import { enterAddress } from './enter-address.ts'
import { NewVaultDialog } from './new-vault-dialog.tsx'
import { VaultLink } from './vault-link.tsx'
import { VaultView } from './vault-view.tsx'

const LAST = 'last-vault'

type Props = { here: PersonHere; onVaultsChanged: () => void }

/** Opens the vault of the address, goes to enter it where that was not done, and otherwise lets the person choose. */
export function VaultChoice({ here, onVaultsChanged }: Props) {
  const { memory, navigation } = useServices()
  const route = useRoute()
  const { vaultId } = route
  const { vaults, app } = here
  const entered = vaults.filter((vault) => vault.entered)
  const wanted = vaults.find(({ id }) => id === vaultId)
  const entering = wanted?.entered === false && app !== undefined ? enterAddress(app, route) : undefined

  useEffect(() => {
    if (wanted?.entered) memory.keep(LAST, wanted.id)
  }, [wanted, memory])

  useEffect(() => {
    if (entering !== undefined) window.location.replace(entering)
  }, [entering])

  const last = memory.recall(LAST, '')
  const start = entered.find(({ id }) => id === last) ?? (vaults.length === 1 ? entered[0] : undefined)
  const startId = vaultId === undefined ? start?.id : undefined
  useEffect(() => {
    if (startId !== undefined) navigation.replace({ vaultId: startId })
  }, [startId, navigation])

  if (entering !== undefined || startId !== undefined) return <main className="full-page" aria-busy="true" />
  if (wanted) return <VaultView key={wanted.id} vault={wanted} here={here} onVaultsChanged={onVaultsChanged} />
  return <VaultList here={here} missing={vaultId} onVaultsChanged={onVaultsChanged} />
}

function VaultList({ here, missing, onVaultsChanged }: Props & { missing: string | undefined }) {
  const { navigation } = useServices()
  const [creating, setCreating] = useState(false)
  const { vaults, capabilities, organization, app } = here
  useEffect(() => {
    document.title = organization ? `Vaults · ${organization.name}` : 'Vaults'
  }, [organization])
  return (
    <main className="full-page">
      <div className="vault-list">
        {missing !== undefined && <FailureNotice refusal={noSuchVault} />}
        <h1>{vaults.length === 0 ? 'No vault yet' : 'Vaults'}</h1>
        <ul>
          {vaults.map((vault) => (
            <li key={vault.id}>
              <VaultLink vault={vault} app={app} className="vault-card">
                <Mark />
                <span>{vault.displayName}</span>
                <span className="quiet">{vault.id}</span>
              </VaultLink>
            </li>
          ))}
        </ul>
        {capabilities.includes('create_vault') && (
          <button type="button" className="button primary" onClick={() => setCreating(true)}>
            <Icon name="plus" /> New vault
          </button>
        )}
        {app && (
          <a className="button" href={app.home}>
            All your vaults
          </a>
        )}
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

const noSuchVault = new Refusal({ code: 'not_found', message: 'There is no such vault, or it is not yours to open.' })
