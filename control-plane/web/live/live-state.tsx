import { useQueryClient } from '@tanstack/react-query'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { keysToRefresh } from './change-keys.ts'
import { listenForChanges } from './event-source.ts'
import { refreshQueries } from './refresh-queries.ts'

type Live = {
  /** True while the event stream is connected. */
  isOpen: boolean
  /** When the server last sent a message on the stream; 0 before the first one. */
  heardAt: () => number
}

/** The interval at which the session is read while the event stream is not connected. */
const UNTOLD_MS = 2_000

const LiveContext = createContext<Live>({ isOpen: false, heardAt: () => 0 })

export const useLiveState = () => useContext(LiveContext)

/** Reads data again when the server announces a change, for every page below. */
export function LiveState({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  // A ref, not a state: a beat every two seconds must not render the pages. The age display has a clock of its own.
  const heard = useRef(0)

  useEffect(() => {
    const refresh = refreshQueries(client)
    return listenForChanges({
      onOpen: setOpen,
      onHeard: () => (heard.current = systemClock.now().getTime()),
      onMissed: () => void client.invalidateQueries(),
      onChanges: (changes) => {
        for (const queryKey of keysToRefresh(changes)) void refresh(queryKey)
      },
    })
  }, [client])

  // Members, names and rights are in the session, which pages do not poll.
  useEffect(() => {
    if (isOpen) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void client.invalidateQueries({ queryKey: ['session'] })
    }, UNTOLD_MS)
    return () => clearInterval(timer)
  }, [client, isOpen])

  const live = useMemo(() => ({ isOpen, heardAt: () => heard.current }), [isOpen])
  return <LiveContext value={live}>{children}</LiveContext>
}
