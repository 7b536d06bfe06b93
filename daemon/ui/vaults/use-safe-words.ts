import { useEffect } from 'react'
import { useServices } from '../app/services.ts'
import type { VaultSessions } from '../saving/vault-sessions.ts'

const SEND_AGAIN_MS = 10_000

/**
 * Sends what earlier visits have left, tries again when the network is back, and writes unsent text down when the page may
 * go. Asks before the page is closed only over text that could not be kept.
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
    // A tab that has just been closed may still hold its text, and what could not be sent may be taken later.
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
