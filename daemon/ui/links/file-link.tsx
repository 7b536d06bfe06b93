import type { MouseEvent, ReactNode } from 'react'
import { formatRoute } from '../app/route.ts'
import { useVault } from '../vaults/vault-context.ts'

type Props = {
  /** The path of a file in the open vault. */
  to: string
  place?: { line?: number; heading?: string }
  className?: string
  title?: string
  children: ReactNode
}

/** A link to a file of the open vault. The frame of the vault opens it in a tab on a middle click or with Ctrl. */
export function FileLink({ to, place, className, title, children }: Props) {
  const { vault, open } = useVault()
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    open(to, place)
  }
  return (
    <a
      className={className}
      title={title}
      href={formatRoute({ vaultId: vault.id, path: to, ...place })}
      onClick={follow}
    >
      {children}
    </a>
  )
}
