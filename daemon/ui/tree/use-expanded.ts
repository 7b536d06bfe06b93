import { useCallback, useState } from 'react'
import { useServices } from '../app/services.ts'

/** The expanded folders of a vault, remembered between visits. */
export function useExpanded(vaultId: string) {
  const { memory } = useServices()
  const key = `expanded.${vaultId}`
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => new Set(memory.recall<string[]>(key, [])))

  const change = useCallback(
    (next: ReadonlySet<string>) => {
      setExpanded(next)
      memory.keep(key, [...next])
    },
    [memory, key],
  )
  return [expanded, change] as const
}
