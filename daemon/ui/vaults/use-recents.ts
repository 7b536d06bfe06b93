import { useEffect } from 'react'
import { useServices } from '../app/services.ts'

/** The paths opened last in a vault, newest first, without the open one. */
export function useRecents(vaultId: string, path: string | undefined): string[] {
  const { memory } = useServices()
  const key = `recents.${vaultId}`
  useEffect(() => {
    if (path !== undefined) memory.keep(key, withRecent(memory.recall<string[]>(key, []), path))
  }, [path, memory, key])
  return memory.recall<string[]>(key, []).filter((recent) => recent !== path)
}

const KEPT = 20

/** The list of recent paths after opening one more, newest first. */
function withRecent(recents: readonly string[], path: string): string[] {
  return [path, ...recents.filter((recent) => recent !== path)].slice(0, KEPT)
}
