import { useCallback, useState } from 'react'
import { useServices } from '../app/services.ts'

/** How a note is edited: `live` shows what its Markdown means, `source` the Markdown alone. */
export type EditingLook = 'live' | 'source'

const KEY = 'editing'

/** How this person edits notes. The browser remembers it. */
export function useEditingLook() {
  const { memory } = useServices()
  const [look, setLook] = useState<EditingLook>(() =>
    memory.recall<string>(KEY, 'live') === 'source' ? 'source' : 'live',
  )
  const toggle = useCallback(
    () =>
      setLook((now) => {
        const next = now === 'live' ? 'source' : 'live'
        memory.keep(KEY, next)
        return next
      }),
    [memory],
  )
  return { look, toggle }
}
