import { useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react'
import { keysToRefresh } from './change-keys.ts'
import { listenForChanges } from './event-source.ts'

const OpenContext = createContext(false)

/** True while the server tells what changes. */
export const useChangesAreTold = () => useContext(OpenContext)

/** Reads again what the server says has changed, for every page below. */
export function LiveState({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)

  useEffect(
    () =>
      listenForChanges({
        onOpen: setOpen,
        onMissed: () => void client.invalidateQueries(),
        onChanges: (changes) => {
          for (const queryKey of keysToRefresh(changes)) void client.invalidateQueries({ queryKey })
        },
      }),
    [client],
  )

  return <OpenContext value={isOpen}>{children}</OpenContext>
}
