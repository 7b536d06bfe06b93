import { useEffect } from 'react'
import { useServices } from '../app/services.ts'
import { useNews } from '../news/news-context.ts'
import { useVault } from '../vaults/vault-context.ts'

// A note that was shown only briefly has not been read.
const LOOKED_MS = 1500

/** Tells the daemon that the person has read a note, once its text has been on the screen for a moment. */
export function useMarkRead(path: string, baseline: string | undefined): void {
  const { client } = useServices()
  const { vault } = useVault()
  const { reload } = useNews()
  useEffect(() => {
    if (baseline === undefined) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (document.visibilityState !== 'visible') return
      // If this is lost, the note is only shown as new once more.
      timer = setTimeout(() => client.markRead({ vaultId: vault.id, path }, baseline).then(reload, () => {}), LOOKED_MS)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [client, vault.id, path, baseline, reload])
}
