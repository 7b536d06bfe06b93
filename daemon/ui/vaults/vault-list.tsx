import { Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Mark } from '@svc/shared/design/mark.tsx'
import type { PersonHere } from '@svc/shared/wire/person.api.ts'
import { Refusal } from '../api/refusal.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { Icon } from '../app/icon.tsx'
import { useServices } from '../app/services.ts'
import { VaultLink } from './vault-link.tsx'

const NewVaultDialog = lazyPart(() => import('./new-vault-dialog.tsx'))

type Props = { here: PersonHere; missing: string | undefined; onVaultsChanged: () => void }

/** All vaults that a person may open, when the address names none of them. */
export default function VaultList({ here, missing, onVaultsChanged }: Props) {
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
        <Suspense>
          <NewVaultDialog
            onClose={() => setCreating(false)}
            onCreated={(vaultId) => {
              onVaultsChanged()
              setCreating(false)
              navigation.open({ vaultId })
            }}
          />
        </Suspense>
      )}
    </main>
  )
}

const noSuchVault = new Refusal({ code: 'not_found', message: 'There is no such vault, or it is not yours to open.' })
