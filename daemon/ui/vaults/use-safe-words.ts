import { useEffect } from 'react'
import { useServices } from '../app/services.ts'
import type { VaultSessions } from '../saving/vault-sessions.ts'

const SEND_AGAIN_MS = 10_000

/**
 * Sends unsent text of earlier visits, retries when the network is back, and stores unsent text when the page may
 * close. Asks before the page closes only if text could not be stored.
 */
export function useSafeWords(sessions: VaultSessions) {
  const { connection } = useServices()

  useEffect(() => {
    const back = () => {
      sessions.retry()
      void sessions.sendLeft()
    }
    const turn = () => (document.hidden ? sessions.keepNow() : sessions.retry())
    const guard = (event: BeforeUnloadEvent) => {
      sessions.keepNow()
      if (!sessions.isKept()) event.preventDefault()
    }
    const stop = connection.subscribe(() => connection.current().state === 'online' && back())
    window.addEventListener('online', back)
    window.addEventListener('beforeunload', guard)
    document.addEventListener('visibilitychange', turn)
    void sessions.sendLeft()
    // Try again: a tab that was just closed may still hold its lock, and text that was refused may be accepted later.
    const again = setInterval(() => void sessions.sendLeft(), SEND_AGAIN_MS)
    return () => {
      stop()
      clearInterval(again)
      window.removeEventListener('online', back)
      window.removeEventListener('beforeunload', guard)
      document.removeEventListener('visibilitychange', turn)
    }
  }, [sessions, connection])
}
