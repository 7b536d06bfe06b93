import { useEffect } from 'react'
import { useServices } from '../app/services.ts'
import type { KnownSessions } from './vault-view.tsx'

const SEND_AGAIN_MS = 10_000

/**
 * For every vault that was open on this page: sends unsent text of earlier visits, retries when the network is back, and
 * stores unsent text when the page may close. Asks before the page closes only if text could not be stored.
 */
export function useSafeWords(known: KnownSessions, vaultId: string | undefined) {
  const { connection } = useServices()

  useEffect(() => {
    const retry = () => known.forEach((sessions) => sessions.retry())
    const sendLeft = () => known.forEach((sessions) => void sessions.sendLeft())
    const keepNow = () => known.forEach((sessions) => sessions.keepNow())
    const back = () => {
      retry()
      sendLeft()
    }
    const turn = () => (document.hidden ? keepNow() : retry())
    const guard = (event: BeforeUnloadEvent) => {
      keepNow()
      if (![...known.values()].every((sessions) => sessions.isKept())) event.preventDefault()
    }
    const stop = connection.subscribe(() => connection.current().state === 'online' && back())
    window.addEventListener('online', back)
    window.addEventListener('beforeunload', guard)
    document.addEventListener('visibilitychange', turn)
    sendLeft()
    // Try again: a tab that was just closed may still hold its lock, and a host that did not answer may be back.
    const again = setInterval(sendLeft, SEND_AGAIN_MS)
    return () => {
      stop()
      clearInterval(again)
      window.removeEventListener('online', back)
      window.removeEventListener('beforeunload', guard)
      document.removeEventListener('visibilitychange', turn)
    }
    // eslint-disable-next-line react/exhaustive-effect-dependencies -- text of a vault is sent as soon as it is opened
  }, [known, vaultId, connection])
}
