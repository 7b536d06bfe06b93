import { useCallback, useState } from 'react'
import { useServices } from '../app/services.ts'

/** How a note is edited: `live` renders its Markdown in place, `source` shows the Markdown as text. */
export type EditingLook = 'live' | 'source'

const KEY = 'editing'

/** The way in which this person edits notes, remembered by the browser. */
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
