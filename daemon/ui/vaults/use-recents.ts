import { useEffect } from 'react'
import { useServices } from '../app/services.ts'
import { withRecent } from './recents.ts'

/** The paths opened last in a vault, newest first, the open one left out. */
export function useRecents(vaultId: string, path: string | undefined): string[] {
  const { memory } = useServices()
  const key = `recents.${vaultId}`
  useEffect(() => {
    if (path !== undefined) memory.keep(key, withRecent(memory.recall<string[]>(key, []), path))
  }, [path, memory, key])
  return memory.recall<string[]>(key, []).filter((recent) => recent !== path)
}
