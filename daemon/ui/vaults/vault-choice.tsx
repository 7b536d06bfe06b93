import { Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import type { PersonHere } from '@svc/shared/wire/person.api.ts'
import { useRoute, useServices } from '../app/services.ts'
import { enterAddress } from './enter-address.ts'
import { useSafeWords } from './use-safe-words.ts'
import { VaultView, type KnownSessions } from './vault-view.tsx'

// Reading a note does not load it.
const VaultList = lazyPart(() => import('./vault-list.tsx'))

const LAST = 'last-vault'

type Props = { here: PersonHere; onVaultsChanged: () => void }

/**
 * Opens the vault of the address, leads to its entry if the person has not entered it, and otherwise offers a choice.
 */
export function VaultChoice({ here, onVaultsChanged }: Props) {
  const { memory, navigation } = useServices()
  const route = useRoute()
  const { vaultId } = route
  const { vaults, app } = here
  const [known] = useState<KnownSessions>(() => new Map())
  const entered = vaults.filter((vault) => vault.entered)
  const wanted = vaults.find(({ id }) => id === vaultId)
  useSafeWords(known, wanted?.id)
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
  if (wanted)
    return <VaultView key={wanted.id} vault={wanted} here={here} known={known} onVaultsChanged={onVaultsChanged} />
  return (
    <Suspense fallback={<main className="full-page" aria-busy="true" />}>
      <VaultList here={here} missing={vaultId} onVaultsChanged={onVaultsChanged} />
    </Suspense>
  )
}
