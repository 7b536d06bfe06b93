import type { MouseEvent, ReactNode } from 'react'
import type { PersonHere } from '@svc/shared/wire/person.api.ts'
import { formatRoute } from '../app/route.ts'
import { useServices } from '../app/services.ts'
import { enterAddress } from './enter-address.ts'

type Props = {
  vault: PersonHere['vaults'][number]
  app: PersonHere['app']
  className: string
  current?: boolean | undefined
  onOpen?: () => void
  children: ReactNode
}

/** A link to a vault, which also opens in a new tab: here if it was entered, otherwise through the app. */
export function VaultLink({ vault: { id, entered }, app, className, current, onOpen, children }: Props) {
  const { navigation } = useServices()
  const opensHere = entered || app === undefined
  const follow = (event: MouseEvent) => {
    if (!opensHere || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onOpen?.()
    navigation.open({ vaultId: id })
  }
  return (
    <a
      className={className}
      href={opensHere ? formatRoute({ vaultId: id }) : enterAddress(app, { vaultId: id })}
      aria-current={current ? 'true' : undefined}
      onClick={follow}
    >
      {children}
    </a>
  )
}
